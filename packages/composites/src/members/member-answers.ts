import type { Busy, Grant, Renewal } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import { isAnswer, isRenewal, leavesNothing } from '@locks/core/composite';

/** A call to a member. `ask in the queue`: also for a position in the member's queue. */
export type MemberCall = 'ask' | 'ask in the queue' | 'renew';

/** What a member answered. */
export type MemberAnswer =
  | { readonly kind: 'granted'; readonly token: bigint | undefined; readonly validity: number }
  | { readonly kind: 'busy'; readonly retryAfter: number | undefined }
  /** A renewal found no vote, or a higher token. */
  | { readonly kind: 'no vote' }
  | { readonly kind: 'failed'; readonly error: unknown; readonly leftNothing: boolean }
  | { readonly kind: 'refused'; readonly error: unknown };

/** Calls a member. A synchronous exception becomes a rejection. */
export function callMember<T>(call: () => Promise<T>): Promise<T> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error);
  }
}

/**
 * Parses a member's answer. `undefined`: the contract does not allow it. `token`: a renewal's new
 * token.
 */
export function readAnswer(
  answer: Grant | Busy | Renewal | false,
  call: MemberCall,
  token: bigint | undefined,
  ttl: number,
): MemberAnswer | undefined {
  if (call === 'renew') {
    if (!isRenewal(answer)) return undefined;
    return answer === false ? { kind: 'no vote' } : { kind: 'granted', token, validity: answer.validity ?? ttl };
  }
  if (!isAnswer(answer)) return undefined;
  if (!answer.granted) return { kind: 'busy', retryAfter: answer.retryAfter };
  // A session that ended before its answer was read has lost the vote.
  if (answer.lost?.aborted) return { kind: 'failed', error: answer.lost.reason, leftNothing: true };
  return { kind: 'granted', token: answer.token, validity: answer.validity ?? ttl };
}

/** A rejection. `LOCK_INVALID` concerns the claim, and so all members. */
export function failure(error: unknown): MemberAnswer {
  if (isLockError(error, 'LOCK_INVALID')) return { kind: 'refused', error };
  return { kind: 'failed', error, leftNothing: leavesNothing(error) };
}
