import type { ControlEvent, RunLog } from '../log/events.ts';
import type { Claim } from './claims.ts';

/** In microseconds: how long after a fault calls may still tell of it. */
const aftermath = 8_000_000;

/**
 * In ms: the timeout of the providers. A call that waits no longer may have had no answer of a busy
 * machine.
 */
const shortWait = 2_000;
/** In ms. A call whose wait is over looks for a little longer whether its store still answers. */
const lastLook = 250;

/** Every failure is one that its call may have, and one that a fault explains. */
export function* checkFailures(claims: readonly Claim[], { workers, control }: RunLog): Iterable<string> {
  const faults = control.filter((event) => event.ev === 'fault');
  const slots = new Map(control.flatMap((event) => (event.ev === 'worker' ? [[event.worker, event.slot]] : [])));
  const explained = (claim: Claim, at: number): boolean =>
    faults.some(
      (fault) => affects(fault, slots.get(claim.worker)) && fault.from <= at && claim.calledAt <= fault.t + aftermath,
    );
  for (const claim of claims) {
    const { id, ask, failure, endedAt = 0, answer } = claim;
    if (failure !== undefined && !mayFail(claim, failure.code, () => explained(claim, endedAt))) {
      yield `${id}: ${ask.how}${ask.calm ? ' in the calm' : ''} failed with ${failure.code}: ${failure.message}`;
    }
    if (typeof answer === 'string' && answer !== 'over') {
      const fine = answer === 'LOCK_UNAVAILABLE' && explained(claim, claim.releasedAt ?? 0);
      if (!fine) yield `${id}: release failed with ${answer}`;
    }
    for (const { at, code } of claim.renewals) {
      const fine = code === 'ok' || code === 'LOCK_LOST' || (code === 'LOCK_UNAVAILABLE' && explained(claim, at));
      if (!fine) yield `${id}: renew failed with ${code}`;
    }
  }
  for (const [worker, events] of workers) {
    for (const event of events) if (event.ev === 'crash') yield `${worker} has an error: ${event.message}`;
  }
  for (const event of control) if (event.ev === 'wrong') yield event.message;
}

/** A pause of one worker may hold up the others where they share a file; a kill does not. */
function affects(fault: ControlEvent & { readonly ev: 'fault' }, slot: number | undefined): boolean {
  if (fault.kind === 'kill') return false;
  return fault.slot === undefined || fault.slot === slot || fault.kind === 'pause';
}

/** In ms. */
function waitOf({ how, wait = how === 'tryAcquire' ? 0 : Infinity }: Claim['ask']): number {
  return wait;
}

function mayFail({ ask, grantedAt, calledAt, endedAt = 0 }: Claim, code: string, explained: () => boolean): boolean {
  switch (code) {
    case 'LOCK_TIMEOUT':
      return ask.how !== 'tryAcquire' && ask.wait !== undefined && grantedAt === undefined;
    case 'TimeoutError':
      return ask.abortAfter !== undefined && grantedAt === undefined;
    case 'LOCK_LOST':
      return ask.how === 'withLock' && grantedAt !== undefined && !ask.calm;
    case 'LOCK_UNAVAILABLE':
      if (ask.calm || grantedAt !== undefined) return false;
      // A busy machine may not answer that look either.
      return explained() || waitOf(ask) <= shortWait || endedAt - calledAt >= (waitOf(ask) + lastLook) * 1_000;
    default:
      return false;
  }
}
