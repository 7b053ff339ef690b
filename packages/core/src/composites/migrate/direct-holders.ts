import type { Holder, LockProvider } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import { isOfAMigration } from './keys.ts';
import type { End } from './phase.ts';

/** A lock of a process that does not take part, and so cannot be seen by the others. */
export interface DirectHolder extends Holder {
  readonly key: string;
}

/** So many keys are looked at together. */
const together = 8;

/** Whether it was taken without a composite: owners of a composite end in `~` and a number. */
export function isDirect({ owner }: Holder): boolean {
  return !/~[0-9a-z]{1,12}$/.test(owner);
}

/** The holders of `key` that do not take part. */
async function directAt(store: LockProvider, key: string): Promise<readonly DirectHolder[]> {
  const { holders } = await store.inspect(key);
  return holders.filter(isDirect).map((holder) => ({ ...holder, key }));
}

/**
 * A lock in `store` that was not taken through `migrate`. `known`: a key that had one. A store that
 * lists no keys hides them.
 */
export async function findDirect(store: LockProvider, known?: string): Promise<DirectHolder | undefined> {
  const [again] = known === undefined ? [] : await directAt(store, known);
  if (again !== undefined || store.list === undefined) return again;
  let keys: string[] = [];
  const look = async (): Promise<DirectHolder | undefined> => {
    const found = await Promise.all(keys.map((key) => directAt(store, key)));
    keys = [];
    return found.flat()[0];
  };
  for await (const key of store.list('')) {
    if (!isOfAMigration(key)) keys.push(key);
    const found = keys.length < together ? undefined : await look();
    if (found !== undefined) return found;
  }
  return await look();
}

/** Why a process does not act under the other end. */
export function heldDirectly(end: End, { key, owner }: DirectHolder): LockError {
  const why = `${owner} holds ${JSON.stringify(key)} in store "${end}", without migrate`;
  const message = `migrate: ${why}. Give each process that uses this store phase "both" first.`;
  return new LockError('LOCK_MISCONFIGURED', message, { key });
}
