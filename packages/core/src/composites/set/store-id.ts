import type { LockProvider } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';

/** The register that has the id of a store. */
const idRegister = 'store-id';

/**
 * The id of the store behind `provider`: 1 to 10 characters of `0-9a-z`, made where there is none.
 * Two names of one store give one id. `known`: the id that it is to have, as a store that came back
 * without its data has lost it. Rejects as `register` does.
 */
export async function readStoreId(provider: LockProvider, known?: string): Promise<string> {
  if (provider.register === undefined)
    throw new LockError('LOCK_MISCONFIGURED', `${provider.name} keeps no registers.`);
  const found = await provider.register(idRegister);
  if (found !== undefined && (known === undefined || found === known)) return found;
  const id = await provider.register(idRegister, { from: found, to: known ?? newId() });
  // Another process may have changed it meanwhile, and nothing removes it.
  return id ?? (await readStoreId(provider, known));
}

/** 48 random bits: two of a thousand stores are the same once in half a billion times. */
function newId(): string {
  return process.getBuiltinModule('node:crypto').randomBytes(6).readUIntBE(0, 6).toString(36);
}
