import type { Claim } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';

/** How late a fact may be recorded, in ms. */
const slack = 20;

/**
 * Certain answers are true: those of `release`, `renew` and `held`, and a loss. A hold may end
 * before its promised end if the store lost its data meanwhile.
 */
export function* checkAnswers(
  claims: readonly Claim[],
  events: readonly HistoryEvent[],
  emptying: ReadonlySet<string>,
  requestsMayRepeat: boolean,
): Iterable<Violation> {
  const emptied = events.filter((event) => event.type === 'fault').filter(({ kind }) => emptying.has(kind));
  for (const claim of claims) {
    const wrongly = (at: number, promised: number): boolean =>
      at < promised - slack &&
      claim.forcedAt === undefined &&
      !emptied.some((fault) => fault.from <= at && fault.at >= claim.calledAt);
    const { id, lostAt, lostCode, promisedUntil, promisedAtRelease, answer, releasedAt } = claim;
    const broken = (at: number, message: string): Violation => ({ rule: 'answers', at, ids: [id], message });
    if (claim.cameBackAt !== undefined) yield broken(claim.cameBackAt, `${id} came back after it was over`);
    if (claim.heldAfterLoss === true && lostAt !== undefined && lostCode !== 'LOCK_CLOSED') {
      yield broken(lostAt, `${id} called itself held after its signal had aborted`);
    }
    if (lostAt !== undefined && lostCode !== 'LOCK_CLOSED' && wrongly(lostAt, promisedUntil)) {
      yield broken(lostAt, `${id} was lost (${lostCode}) ${inMs(promisedUntil - lostAt)} before its promised end`);
    }
    if (answer === false && !requestsMayRepeat && releasedAt !== undefined && wrongly(releasedAt, promisedAtRelease)) {
      const early = inMs(promisedAtRelease - releasedAt);
      yield broken(releasedAt, `${id}: release returned false ${early} before its promised end`);
    }
    if (answer === true && lostAt !== undefined && lostCode !== 'LOCK_CLOSED')
      yield broken(lostAt, `${id}: release returned true after the loss`);
    for (const { at, code } of claim.renewals) {
      if (code !== 'LOCK_LOST' || !wrongly(at, promisedUntil)) continue;
      yield broken(at, `${id}: renew rejected with LOCK_LOST ${inMs(promisedUntil - at)} before its promised end`);
    }
  }
}

function inMs(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}
