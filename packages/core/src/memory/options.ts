import type { Duration, OptionReaders } from '../options/option-reader.ts';
import { withMethods } from '../options/option-readers.ts';
import type { Runtime } from '../time/runtime.ts';
import { storeReaders } from './store-options.ts';
import type { MemoryStore } from './store-options.ts';
import type { MemoryStorage } from './store.ts';

/** Options of a memory provider. */
export interface MemoryOptions {
  /**
   * The store to share with other providers, as several processes share a server. @default one of
   * its own
   */
  readonly store?: MemoryStore | undefined;
  /**
   * Of its own store: how long a position in the queue lasts without a repeat. @default 6_000 ms
   */
  readonly waiterTtl?: Duration | undefined;
  /** Clock, timers and randomness. @default those of this process */
  readonly runtime?: Runtime | undefined;
}

/** How the options of a provider are checked. */
export const memoryReaders: OptionReaders<Omit<MemoryOptions, 'store'> & { readonly store?: MemoryStorage }> = {
  ...storeReaders,
  store: withMethods<MemoryStorage>('a store of createMemoryStore', 'now', 'keys', 'waitersOf'),
};
