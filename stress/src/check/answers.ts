import type { ControlEvent } from '../log/events.ts';
import type { Claim } from './claims.ts';

/** In microseconds: how much a line may be written after its fact. */
const slack = 20_000;

/**
 * Certain answers are true: those of `release`, `renew` and `held`, and a loss. A hold may end
 * before its promised end where a server lost its data meanwhile.
 */
export function* checkAnswers(claims: readonly Claim[], control: readonly ControlEvent[]): Iterable<string> {
  const emptied = control.flatMap((event) => (event.ev === 'fault' && event.kind === 'server-empty' ? [event] : []));
  for (const claim of claims) {
    const wrongly = (at: number, promised: number): boolean =>
      at < promised - slack && !emptied.some(({ from, t }) => from <= at && t >= claim.calledAt);
    const { id, lostAt, lostCode, promisedUntil, promisedAtRelease, answer, releasedAt } = claim;
    if (claim.heldAfterLoss === true) yield `${id} called itself held after its signal had fired`;
    if (lostAt !== undefined && lostCode !== 'LOCK_CLOSED' && wrongly(lostAt, promisedUntil)) {
      yield `${id} was lost (${lostCode}) ${inMs(promisedUntil - lostAt)} before the end that it had promised`;
    }
    if (answer === false && releasedAt !== undefined && wrongly(releasedAt, promisedAtRelease)) {
      yield `${id}: release answered false ${inMs(promisedAtRelease - releasedAt)} before the promised end of the hold`;
    }
    if (answer === true && lostAt !== undefined) yield `${id}: release answered true after the loss`;
    for (const { at, code } of claim.renewals) {
      if (code === 'LOCK_LOST' && wrongly(at, promisedUntil)) {
        yield `${id}: renew said lost ${inMs(promisedUntil - at)} before the promised end of the hold`;
      }
    }
  }
}

function inMs(microseconds: number): string {
  return `${(microseconds / 1_000).toFixed(1)} ms`;
}
