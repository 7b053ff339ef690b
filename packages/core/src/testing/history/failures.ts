import type { Claim } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';

/** In ms: for how long after a fault calls may still fail because of it. */
const aftermath = 8_000;
/** In ms: without an answer for so long a call may say that its store does not answer. */
const shortWait = 2_000;
/** In ms. A call whose wait is over looks for a little longer whether its store still answers. */
const lastLook = 250;

/** Which faults explain a failure of a call of `process`. */
export type Explains = (fault: HistoryEvent & { readonly type: 'fault' }, process: string) => boolean;

/**
 * Every failure is one that its call may have, and one that a fault explains: a store that answers
 * is not unavailable, and one that is dead is no contention.
 */
export function* checkFailures(
  claims: readonly Claim[],
  events: readonly HistoryEvent[],
  explains: Explains,
): Iterable<Violation> {
  const faults = events.filter((event) => event.type === 'fault');
  const explained = ({ process, calledAt }: Claim, at: number): boolean =>
    faults.some((fault) => fault.from <= at && calledAt <= fault.at + aftermath && explains(fault, process));
  for (const claim of claims) {
    const { id, call, failure, endedAt = 0, answer, releasedAt = 0 } = claim;
    const broken = (at: number, message: string): Violation => ({ rule: 'failures', at, ids: [id], message });
    if (failure !== undefined && !mayFail(claim, failure.code, () => explained(claim, endedAt))) {
      const when = call.calm === true ? ' without any fault' : '';
      yield broken(endedAt, `${id}: ${call.how} failed${when} with ${failure.code}: ${failure.message}`);
    }
    if (typeof answer === 'string' && answer !== 'over') {
      const fine = answer === 'LOCK_UNAVAILABLE' && explained(claim, releasedAt);
      if (!fine) yield broken(releasedAt, `${id}: release failed with ${answer}`);
    }
    for (const { at, code } of claim.renewals) {
      const fine = code === 'ok' || code === 'LOCK_LOST' || (code === 'LOCK_UNAVAILABLE' && explained(claim, at));
      if (!fine) yield broken(at, `${id}: renew failed with ${code}`);
    }
  }
}

function mayFail({ call, grantedAt, calledAt, endedAt = 0 }: Claim, code: string, explained: () => boolean): boolean {
  const { how, wait = how === 'tryAcquire' ? 0 : Infinity, calm = false } = call;
  switch (code) {
    case 'LOCK_TIMEOUT':
      return how !== 'tryAcquire' && wait < Infinity && grantedAt === undefined;
    case 'TimeoutError':
      return call.abortAfter !== undefined && grantedAt === undefined;
    case 'LOCK_LOST':
      // While it waits for one key, another one may be lost.
      if (how === 'multiLock') return explained();
      if (call.continues !== undefined || how === 'once') return true;
      return how === 'withLock' && grantedAt !== undefined && !calm;
    case 'LOCK_UNAVAILABLE':
      if (calm || grantedAt !== undefined) return false;
      // A machine under load may not answer that look either.
      return wait <= shortWait || endedAt - calledAt >= wait + lastLook || explained();
    default:
      return false;
  }
}
