import type { Claim } from './claims.ts';

/** In microseconds: how much a line may be written after its fact. */
const slack = 20_000;

/** What is said for certain is true: `release`, `renew`, `held`, and a loss. */
export function* checkAnswers(claims: readonly Claim[]): Iterable<string> {
  for (const claim of claims) {
    const { id, lostAt, lostCode, promisedUntil, promisedAtRelease, answer, releasedAt } = claim;
    if (claim.heldAfterLoss === true) yield `${id} called itself held after its signal had fired`;
    if (lostAt !== undefined && lostCode !== 'LOCK_CLOSED' && lostAt < promisedUntil - slack) {
      yield `${id} was lost (${lostCode}) ${inMs(promisedUntil - lostAt)} before the end that it had promised`;
    }
    if (answer === false && releasedAt !== undefined && releasedAt < promisedAtRelease - slack) {
      yield `${id}: release answered false ${inMs(promisedAtRelease - releasedAt)} before the promised end of the hold`;
    }
    if (answer === true && lostAt !== undefined) yield `${id}: release answered true after the loss`;
    for (const { at, code } of claim.renewals) {
      if (code === 'LOCK_LOST' && at < promisedUntil - slack) {
        yield `${id}: renew said lost ${inMs(promisedUntil - at)} before the promised end of the hold`;
      }
    }
  }
}

function inMs(microseconds: number): string {
  return `${(microseconds / 1_000).toFixed(1)} ms`;
}
