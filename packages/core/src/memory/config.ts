import type { AdapterConfig } from '../adapter/adapter-config.ts';
import type { LockProvider } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { readOptions } from '../options/read-options.ts';
import { createMemoryProvider } from './provider.ts';
import { memorySource, storeReaders } from './store.ts';
import type { MemoryStoreOptions } from './store.ts';

/** The memory provider of `openLocks('memory:')`, with a separate store. */
export function fromConfig(config: AdapterConfig): LockProvider {
  if (config.url !== undefined && !/^memory:(\/\/)?$/i.test(config.url)) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      'The URL of the memory provider must be "memory:", followed by options only.',
    );
  }
  const { waiterTtl } = storeReaders;
  const options = readOptions<Pick<MemoryStoreOptions, 'waiterTtl'>>({ waiterTtl }, config.options, memorySource);
  return createMemoryProvider({ ...options, runtime: config.runtime });
}
