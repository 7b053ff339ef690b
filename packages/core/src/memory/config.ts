import type { AdapterConfig } from '../adapter/adapter-config.ts';
import type { LockProvider } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { flag, duration, readOptions } from '../options/option-readers.ts';
import type { OptionReaders } from '../options/option-readers.ts';
import { createMemoryProvider } from './provider.ts';
import type { MemoryOptions } from './provider.ts';

const readers: OptionReaders<Pick<MemoryOptions, 'fair' | 'waiterTtl'>> = {
  fair: flag,
  waiterTtl: duration(30, 86_400_000),
};

/** The memory provider as `openLocks('memory:')` makes it: with a store of its own. */
export function fromConfig(config: AdapterConfig): LockProvider {
  if (config.url !== undefined && !/^memory:(\/\/)?$/i.test(config.url)) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      'The URL of the memory provider is "memory:", with nothing but options after it.',
    );
  }
  const source = { where: 'The memory provider', code: 'LOCK_MISCONFIGURED', text: true } as const;
  return createMemoryProvider({ ...readOptions(readers, config.options, source), runtime: config.runtime });
}
