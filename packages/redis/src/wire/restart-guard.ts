import { LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';

/** The refusal of a server that came back `since` ms ago, and grants in `left` ms. */
export function restarted({ key }: Claim, since: number, left: number): LockError {
  const message = `Redis restarted ${seconds(since)} s ago, or lost its data: no grants for another ${seconds(left)} s (option "restartGuard").`;
  // The script has left nothing behind.
  return new LockError('LOCK_UNAVAILABLE', message, { key, sent: false, retryAfter: left });
}

/** The refusal of a claim whose lease could outlive the guard. */
export function outlivesGuard({ key }: Claim, ttl: number, restartGuard: number): LockError {
  const message = `${JSON.stringify(key)} was requested with a ttl of ${ttl} ms, but option "restartGuard" is ${restartGuard} ms. Set it to the longest ttl of all claims.`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** Ms as seconds for a message, rounded up to a tenth. */
function seconds(ms: number): number {
  return Math.ceil(ms / 100) / 10;
}
