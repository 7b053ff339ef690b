import type { AdapterConfig } from '../adapter/adapter-config.ts';
import type { LockProvider } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { readOptions } from '../options/read-options.ts';
import { createMemoryProvider } from './provider.ts';
import { memorySource, storeReaders } from './store.ts';
import type { MemoryStoreOptions } from './store.ts';

/** The memory provider as `openLocks('memory:')` makes it: with a store of its own. */
export function fromConfig(config: AdapterConfig): LockProvider {
  if (config.url !== undefined && !/^memory:(\/\/)?$/i.test(config.url)) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      'The URL of the memory provider is "memory:", with nothing but options after it.',
    );
  }
  const { waiterTtl } = storeReaders;
  const options = readOptions<Pick<MemoryStoreOptions, 'waiterTtl'>>({ waiterTtl }, config.options, memorySource);
  return createMemoryProvider({ ...options, runtime: config.runtime });
}
