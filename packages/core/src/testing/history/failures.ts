import type { Claim } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';

/** How long after a fault calls may still fail because of it, in ms. */
const aftermath = 8_000;
/** After this time without an answer, in ms, a call may report its store as unavailable. */
const shortWait = 2_000;
/** In ms. A timed-out call checks for a little longer whether its store still answers. */
const lastLook = 250;

/** Which faults explain a failure of a call of `process`. */
export type Explains = (fault: HistoryEvent & { readonly type: 'fault' }, process: string) => boolean;

/**
 * Every failure is one that its call may have, and one that a fault explains: a store that answers
 * is not unavailable, and a dead one is not contention.
 */
export function* checkFailures(
  claims: readonly Claim[],
  events: readonly HistoryEvent[],
  explains: Explains,
  refusing: readonly string[] = [],
): Iterable<Violation> {
  const faults = events.filter((event) => event.type === 'fault');
  const explainedBy = ({ process, calledAt }: Claim, at: number, may: Explains): boolean =>
    faults.some((fault) => fault.from <= at && calledAt <= fault.at + aftermath && may(fault, process));
  const explained = (claim: Claim, at: number): boolean => explainedBy(claim, at, explains);
  const closed = (claim: Claim, at: number): boolean =>
    explainedBy(claim, at, ({ kind, hit }, process) => kind === 'close' && hit === process);
  const refused = (claim: Claim, at: number): boolean =>
    explainedBy(claim, at, ({ kind, hit }) => hit === undefined && refusing.includes(kind));
  const isExplained = (code: string, claim: Claim, at: number): boolean =>
    (code === 'LOCK_MISCONFIGURED' && refused(claim, at)) ||
    (code === 'LOCK_UNAVAILABLE' && explained(claim, at)) ||
    (code === 'LOCK_CLOSED' && closed(claim, at));
  for (const claim of claims) {
    const { id, call, failure, endedAt = 0, answer, releasedAt = 0 } = claim;
    const broken = (at: number, message: string): Violation => ({ rule: 'failures', at, ids: [id], message });
    if (failure !== undefined && !mayFail(claim, failure.code, { explained, closed, refused })) {
      const when = call.calm === true ? ' without any fault' : '';
      yield broken(endedAt, `${id}: ${call.how} failed${when} with ${failure.code}: ${failure.message}`);
    }
    if (typeof answer === 'string' && answer !== 'over') {
      const fine = isExplained(answer, claim, releasedAt);
      if (!fine) yield broken(releasedAt, `${id}: release failed with ${answer}`);
    }
    for (const { at, code } of claim.renewals) {
      const fine = code === 'ok' || code === 'LOCK_LOST' || isExplained(code, claim, at);
      if (!fine) yield broken(at, `${id}: renew failed with ${code}`);
    }
  }
}

/** Whether a fault of some kind explains the result of a claim at `at`. */
type Explained = (claim: Claim, at: number) => boolean;

function mayFail(
  claim: Claim,
  code: string,
  by: Readonly<Record<'explained' | 'closed' | 'refused', Explained>>,
): boolean {
  const { call, grantedAt, calledAt, endedAt = 0 } = claim;
  const tries = call.how === 'tryAcquire' || call.how === 'tryWithLock';
  const { how, wait = tries ? 0 : Infinity, calm = false } = call;
  const explained = (): boolean => by.explained(claim, endedAt);
  switch (code) {
    case 'LOCK_TIMEOUT':
      return !tries && wait < Infinity && grantedAt === undefined;
    case 'TimeoutError':
      return call.abortAfter !== undefined && grantedAt === undefined;
    case 'LOCK_CLOSED':
      return by.closed(claim, endedAt);
    case 'LOCK_MISCONFIGURED':
      return !calm && by.refused(claim, endedAt);
    case 'LOCK_LOST':
      if (call.continues !== undefined || how === 'once') return true;
      if ((how === 'withLock' || how === 'tryWithLock') && grantedAt !== undefined) return !calm;
      // While it waits for one key, another one may be lost.
      return (how === 'multiLock' || (call.count ?? 1) > 1) && explained();
    case 'LOCK_UNAVAILABLE':
      if (calm || grantedAt !== undefined) return false;
      // A machine under load may not answer that check either.
      return wait <= shortWait || endedAt - calledAt >= wait + lastLook || explained();
    default:
      return false;
  }
}

/** In ms: a fault may let through calls in progress, and calls that it delayed. */
const margin = 100;

/** No call reports a key as busy while the store cannot answer. */
export function* checkBusy(
  claims: readonly Claim[],
  events: readonly HistoryEvent[],
  silences: Explains,
): Iterable<Violation> {
  const faults = events.filter((event) => event.type === 'fault');
  for (const { id, process, call, calledAt, endedAt, grantedAt, failure } of claims) {
    const isBusy = failure === undefined ? grantedAt === undefined : failure.code === 'LOCK_TIMEOUT';
    if (endedAt === undefined || !isBusy || call.how === 'elect') continue;
    const silent = faults.find((fault) => {
      const [from, until] = fault.certain ?? [fault.from, fault.at];
      return from + margin < calledAt && endedAt < until - margin && silences(fault, process);
    });
    if (silent === undefined) continue;
    const message = `${id}: ${call.how} reported "${call.key}" as busy during a ${silent.kind}`;
    yield { rule: 'failures', at: endedAt, ids: [id], message };
  }
}
