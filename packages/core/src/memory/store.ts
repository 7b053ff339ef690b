import type { RegisterChange } from '../contract.ts';
import { emptyRecord, isIdle, purge } from '../key/record.ts';
import type { KeyRecord } from '../key/record.ts';
import { systemRuntime } from '../time/runtime.ts';
import type { Runtime } from '../time/runtime.ts';
import { readOptions } from '../options/read-options.ts';
import type { ReadOptions } from '../options/read-options.ts';
import { duration } from '../options/duration.ts';
import type { Duration, OptionReaders, OptionSource } from '../options/option-reader.ts';
import { runtimeReader } from '../options/option-readers.ts';

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /**
   * How long a position in the queue lasts without a refresh; waiters refresh at a third of it.
   * @default 6_000 ms
   */
  readonly waiterTtl?: Duration | undefined;
  /** Clock, timers and randomness. @default those of this process */
  readonly runtime?: Runtime | undefined;
}

/** A store of `createMemoryStore`, for several memory providers. */
export interface MemoryStore {
  /** How long a position in the queue lasts without a refresh, in ms. */
  readonly waiterTtl: number;
  /** The keys that begin with `prefix` and are held or waited for. */
  keys(prefix: string): Iterable<string>;
}

export const storeReaders: OptionReaders<MemoryStoreOptions> = {
  waiterTtl: duration(30, 86_400_000),
  runtime: runtimeReader,
};

export const memorySource: OptionSource = { where: 'The memory provider', code: 'LOCK_MISCONFIGURED', text: true };

/**
 * The most idle keys kept: most are used again soon, and making a record costs as much as an
 * acquire.
 */
const idleKept = 100;

/** How to notify a claim in the queue. */
export interface Contact {
  readonly wake: () => void;
  /** The provider of its last call. */
  readonly provider: object;
}

/** The record of one key, with its name. */
export interface StoredKey extends KeyRecord<Contact> {
  readonly key: string;
}

/** What several memory providers share, as several processes share a store. */
export class MemoryStorage implements MemoryStore {
  readonly waiterTtl: number;
  /** The clock in µs, below which no token is granted. */
  readonly leastToken: (now: number) => number;
  /** Its clock decides expiry. */
  readonly runtime: Runtime;
  readonly #records = new Map<string, StoredKey>();
  readonly #registers = new Map<string, string>();
  /** Keys that were idle when last checked, longest first. */
  readonly #idle = new Set<StoredKey>();

  constructor(options: ReadOptions<MemoryStoreOptions>) {
    this.waiterTtl = options.waiterTtl ?? 6_000;
    this.runtime = options.runtime ?? systemRuntime;
    const { clock } = this.runtime;
    this.leastToken = (now) => Math.floor((clock.origin + now) * 1_000);
  }

  now(): number {
    return this.runtime.clock.now();
  }

  /** The keys that are held or waited for. */
  *keys(prefix: string): Iterable<string> {
    for (const record of this.#records.values()) {
      const now = this.now();
      purge(record, now);
      if (isIdle(record)) this.tidy(record, now);
      else if (record.key.startsWith(prefix)) yield record.key;
    }
  }

  /** The text of a register, after `change`. */
  register(name: string, change: RegisterChange | undefined): string | undefined {
    if (change !== undefined && this.#registers.get(name) === change.from) {
      if (change.to === undefined) this.#registers.delete(name);
      else this.#registers.set(name, change.to);
    }
    return this.#registers.get(name);
  }

  /** The claims in the queue that came through `provider`. */
  *waitersOf(provider: object): Iterable<StoredKey['queue'][number]> {
    for (const { queue } of this.#records.values()) {
      for (const place of queue) if (place.contact.provider === provider) yield place;
    }
  }

  find(key: string): StoredKey | undefined {
    return this.#records.get(key);
  }

  findOrAdd(key: string): StoredKey {
    let record = this.#records.get(key);
    if (record === undefined) {
      record = { key, ...emptyRecord() };
      this.#records.set(key, record);
    }
    return record;
  }

  /** Records that `record` is not in use, and forgets the longest idle keys. */
  tidy(record: StoredKey, now: number): void {
    if (!isIdle(record)) return;
    this.#idle.add(record);
    if (this.#idle.size <= idleKept) return;
    const micros = this.leastToken(now);
    let looks = 0;
    for (const oldest of this.#idle) {
      if (looks++ === 2) break;
      this.#idle.delete(oldest);
      if (!isIdle(oldest)) continue;
      // Forgotten before its token is behind the clock, it could grant that token twice.
      if (oldest.token < micros) this.#records.delete(oldest.key);
      else this.#idle.add(oldest);
    }
  }

  /** The ms since 1970 at `now` of its clock. */
  epoch(now: number): number {
    return Math.floor(this.runtime.clock.origin + now);
  }
}

/**
 * A store for memory providers, in the role of a server.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryStorage(readOptions(storeReaders, options, memorySource));
}
