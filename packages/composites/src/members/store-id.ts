import type { LockProvider } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';

/** The register that has the id of a store. */
const idRegister = 'store-id';

/**
 * The random id of the store behind `provider`, which it gets from the first process that asks. Two
 * names of one store give one id. `known`: the id that it is to have, as a store that came back
 * without its data has lost it. Rejects as `register` does.
 */
export async function readStoreId(provider: LockProvider, runtime: Runtime, known?: string): Promise<string> {
  if (provider.register === undefined)
    throw new LockError('LOCK_MISCONFIGURED', `${provider.name} keeps no registers.`);
  const found = await provider.register(idRegister);
  if (found !== undefined && (known === undefined || found === known)) return found;
  const id = await provider.register(idRegister, { from: found, to: known ?? runtime.uniqueId() });
  if (id === undefined) throw new LockError('LOCK_UNAVAILABLE', `the register ${idRegister} was removed meanwhile.`);
  return id;
}
