import type { LockProvider } from '../../contract.ts';
import type { Runtime } from '../../time/runtime.ts';

const register = 'store-id';

/**
 * The random id of a store, which it gets from the first that asks. Two names of one store have one
 * id. `known`: what it was before. A store that lost its data gets that back.
 */
export async function readStoreId(provider: LockProvider, runtime: Runtime, known?: string): Promise<string> {
  let id = await provider.register?.(register);
  while (id === undefined || (known !== undefined && id !== known)) {
    id = await provider.register?.(register, { from: id, to: known ?? runtime.uniqueId() });
  }
  return id;
}
