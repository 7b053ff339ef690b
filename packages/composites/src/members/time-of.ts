import type { LockProvider } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import { callMember } from './member-answers.ts';

/** The time of the member that answers first: the clocks of servers differ by little. */
export async function timeOf(name: string, members: readonly LockProvider[]): Promise<number> {
  try {
    return await Promise.any(members.map((member) => callMember(async () => (await member.time?.()) ?? Number.NaN)));
  } catch (error) {
    throw new LockError('LOCK_UNAVAILABLE', `No member of ${name} told its time.`, { cause: error });
  }
}
