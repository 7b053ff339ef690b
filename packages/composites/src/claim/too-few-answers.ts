import type { Claim } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import { combinedError } from '../members/member-errors.ts';
import type { Quorum } from '../members/member-errors.ts';
import type { Sessions } from '../members/sessions.ts';
import type { Part } from './part.ts';

/**
 * Fewer than `need` members have a vote that counts. `nothingLeft`: none of them can have anything
 * of the claim.
 */
export function tooFewAnswers(quorum: Quorum, parts: readonly Part[], { key }: Claim, nothingLeft: boolean): LockError {
  const without = parts.filter(({ heard }) => heard === 'busy').length;
  const failures = quorum.members.flatMap((member, index) => {
    const part = parts[index];
    if (part?.heard === 'failed') return [member.name(part.error, key)];
    // A call in flight is no failure yet if votes were lost.
    return part?.call === undefined || (without > 0 && !part.late) ? [] : [member.noAnswer(key)];
  });
  if (failures.length > 0) return combinedError(quorum, failures, key, { nothingLeft, without });
  const { need, members } = quorum;
  const what = `Fewer than ${need} of ${members.length} members kept their vote until it was confirmed:`;
  const why = 'a member lost its data, or the answers took longer than the ttl. Try again, or use a longer ttl.';
  return new LockError('LOCK_UNAVAILABLE', `${what} ${why}`, nothingLeft ? { key, sent: false } : { key });
}

/** A lease is lost: sessions of members ended. Names the last of them and its reason. */
export function tooFewVotes({ need, members }: Quorum, { key }: Claim, { reason, endedLast }: Sessions): LockError {
  const last = endedLast === undefined ? undefined : members[endedLast]?.name(reason, key).message;
  const what = `fewer than ${need} of the ${members.length} members hold it`;
  return new LockError('LOCK_LOST', last === undefined ? what : `${what}: ${last}`, { key, cause: reason });
}
