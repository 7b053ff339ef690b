import { type OpenArguments, type OpenedLocks, openConfigured } from '@locks/conformance/nemesis';
import { registerAdapters } from '../store/open-store.ts';

/** Opens the store of a user in a process of the nemesis. */
export async function open(given: OpenArguments): Promise<OpenedLocks> {
  registerAdapters();
  return await openConfigured(given);
}
