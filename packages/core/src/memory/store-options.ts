import { duration } from '../options/duration.ts';
import type { Duration, OptionReaders, OptionSource } from '../options/option-reader.ts';
import { runtimeReader } from '../options/runtime-reader.ts';
import type { Runtime } from '../time/runtime.ts';

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /**
   * How long a position in the queue lasts without a repeat; waiters repeat at a third of it.
   * @default 6_000 ms
   */
  readonly waiterTtl?: Duration | undefined;
  /** Clock, timers and randomness. @default those of this process */
  readonly runtime?: Runtime | undefined;
}

/** A store of `createMemoryStore`, for several memory providers. */
export interface MemoryStore {
  /** How long a position in the queue lasts without a repeat, in ms. */
  readonly waiterTtl: number;
  /** The keys that begin with `prefix` and are held or waited for. */
  keys(prefix: string): Iterable<string>;
}

/** How the options of a store are checked. */
export const storeReaders: OptionReaders<MemoryStoreOptions> = {
  waiterTtl: duration(30, 86_400_000),
  runtime: runtimeReader,
};

/** Where the options of stores and providers come from, for messages. */
export const memorySource: OptionSource = { where: 'The memory provider', code: 'LOCK_MISCONFIGURED', text: true };
