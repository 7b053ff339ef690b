import type { Claim, RegisterChange } from '../contract.ts';
import { tokensEnded } from '../errors/refusals.ts';
import type { Clock } from '../time/clock.ts';
import { systemRuntime } from '../time/runtime.ts';
import type { Runtime } from '../time/runtime.ts';
import { readOptions } from '../options/read-options.ts';
import type { ReadOptions } from '../options/read-options.ts';
import { memorySource, storeReaders } from './store-options.ts';
import type { MemoryStore, MemoryStoreOptions } from './store-options.ts';
import type { Waiter } from './queue.ts';
import { KeyRecord } from './record.ts';

/**
 * Idle keys are worth keeping: most come back soon, and making a record costs as much as an
 * acquire.
 */
const idleKept = 100;

/** What several memory providers share when they stand for several processes on one store. */
export class MemoryStorage implements MemoryStore {
  readonly waiterTtl: number;
  readonly #runtime: Runtime;
  readonly #clock: Clock;
  readonly #records = new Map<string, KeyRecord>();
  readonly #registers = new Map<string, string>();
  /** Keys that were idle when last looked at, the longest ago first. */
  readonly #idle = new Set<KeyRecord>();

  constructor(options: ReadOptions<MemoryStoreOptions>) {
    this.waiterTtl = options.waiterTtl ?? 6_000;
    this.#runtime = options.runtime ?? systemRuntime;
    this.#clock = this.#runtime.clock;
  }

  /** The store's own clock: what decides expiry. */
  now(): number {
    return this.#clock.now();
  }

  /**
   * A promise that a call awaits at its end, if there is one. Otherwise a loop of calls would let
   * nothing else of the process run.
   */
  yieldIfDue(now: number): Promise<void> | undefined {
    return this.#runtime.yieldIfDue?.(now);
  }

  /** The keys that are held or waited for. */
  *keys(prefix: string): Iterable<string> {
    for (const record of this.#records.values()) {
      const now = this.now();
      record.purge(now);
      if (record.idle) this.tidy(record, now);
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

  /** The waiters that came through `provider`. */
  *waitersOf(provider: object): Iterable<Waiter> {
    for (const { queue } of this.#records.values()) {
      for (let waiter = queue.head; waiter !== undefined; waiter = waiter.next) {
        if (waiter.provider === provider) yield waiter;
      }
    }
  }

  find(key: string): KeyRecord | undefined {
    return this.#records.get(key);
  }

  findOrAdd(key: string): KeyRecord {
    let record = this.#records.get(key);
    if (record === undefined) {
      record = new KeyRecord(key);
      this.#records.set(key, record);
    }
    return record;
  }

  /**
   * The token of `claim`: above all earlier ones of `record`, above its floor, and not behind the
   * clock. Throws `LOCK_INVALID` at 2^53, where numbers end: the next one is the same.
   */
  mint(record: KeyRecord, claim: Claim, now: number): number {
    const above = claim.floor === undefined ? 0 : Number(claim.floor) + 1;
    const token = Math.max(record.token + 1, above, this.#microseconds(now));
    if (token <= record.token) throw tokensEnded(claim);
    record.token = token;
    return token;
  }

  /** Notes that `record` is not in use; the keys that have been idle longest are forgotten. */
  tidy(record: KeyRecord, now: number): void {
    if (!record.idle) return;
    this.#idle.add(record);
    if (this.#idle.size <= idleKept) return;
    const micros = this.#microseconds(now);
    let looks = 0;
    for (const oldest of this.#idle) {
      if (looks++ === 2) break;
      this.#idle.delete(oldest);
      if (!oldest.idle) continue;
      // Forgotten before its token is behind the clock, it could give that token twice.
      if (oldest.token < micros) this.#records.delete(oldest.key);
      else this.#idle.add(oldest);
    }
  }

  /** The ms since 1970 at `now` of its clock. */
  epoch(now: number): number {
    return Math.floor(this.#clock.origin + now);
  }

  #microseconds(now: number): number {
    return Math.floor((this.#clock.origin + now) * 1_000);
  }
}

/** A store for memory providers: what a server would be to them. */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryStorage(readOptions(storeReaders, options, memorySource));
}
