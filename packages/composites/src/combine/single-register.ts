import type { LockProvider, RegisterChange } from '@locks/core';
import { following, readVersioned } from '@locks/core/composite';
import { applies } from './register-votes.ts';

/**
 * A register of one store, with the versions that a composite of it reads. A promise to a composite
 * changes the text, but not its value.
 */
export async function singleRegister(
  store: Pick<LockProvider, 'register'>,
  name: string,
  change: RegisterChange | undefined,
): Promise<string | undefined> {
  let vote = readVersioned(await store.register?.(name));
  while (change !== undefined && applies(change, vote.value)) {
    const to = following(vote, change.to);
    vote = readVersioned(await store.register?.(name, { from: vote.text, to }));
    if (vote.text === to) break;
  }
  return vote.value;
}
