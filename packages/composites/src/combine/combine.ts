import type { LockProvider } from '@locks/core';
import { CombinedProvider } from './combined-provider.ts';
import { checkMembers, readCombineOptions } from './options.ts';
import type { CombineOptions } from './options.ts';

/**
 * Several independent stores as one provider: a claim is held when `need` of them granted it. With
 * `majority` this is Redlock, with tokens that keep their order, and fair if all members are. The
 * members must be in the same order in every process. `close` closes them. Claims reject with
 * `LOCK_MISCONFIGURED` if the quorum has other members: `changeQuorum` changes them.
 *
 * Sources: Redlock (redis.io), with a second phase for tokens; claims wait in ordered queues
 * (`docs/quorum.md`).
 * @throws `LOCK_MISCONFIGURED` naming the wrong member or option.
 */
export function combine(members: readonly LockProvider[], options: CombineOptions = {}): LockProvider {
  checkMembers(members);
  return new CombinedProvider({
    providers: [...members],
    keepsSet: true,
    ...readCombineOptions(options, members.length),
  });
}
