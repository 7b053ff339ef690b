import type { Clock } from '../clock.ts';
import { systemRuntime } from '../runtime.ts';
import type { Runtime } from '../runtime.ts';
import { KeyRecord } from './record.ts';

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /** How long a place in line lasts without a sign of life, in ms; waiters give one at a third of it. @default 6_000 */
  readonly waiterTtl?: number | undefined;
  /** Clock, timers and randomness. @default those of this process */
  readonly runtime?: Runtime | undefined;
}

/** What several memory providers share when they stand for several processes on one store. */
export class MemoryStore {
  readonly waiterTtl: number;
  readonly #clock: Clock;
  readonly #records = new Map<string, KeyRecord>();
  /** Idle keys whose token is not yet behind the clock: forgetting them now could give a token twice. */
  readonly #retained = new Set<KeyRecord>();

  constructor(options: MemoryStoreOptions = {}) {
    this.waiterTtl = options.waiterTtl ?? 6_000;
    this.#clock = (options.runtime ?? systemRuntime).clock;
  }

  /** The store's own clock: what decides expiry. */
  now(): number {
    return this.#clock.now();
  }

  /** The keys that are held or waited for. */
  *keys(prefix: string): Iterable<string> {
    for (const record of this.#records.values()) {
      record.purge(this.now());
      if (record.idle) this.tidy(record);
      else if (record.key.startsWith(prefix)) yield record.key;
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

  /** The next token of `record`: above all earlier ones, above `floor`, and not behind the clock. */
  mint(record: KeyRecord, floor: bigint | undefined): number {
    record.token = Math.max(record.token + 1, floor === undefined ? 0 : Number(floor) + 1, this.#microseconds());
    return record.token;
  }

  /** Forgets `record` if nobody uses it, once its token is behind the clock. */
  tidy(record: KeyRecord): void {
    if (!record.idle) return;
    const now = this.#microseconds();
    if (!this.#forget(record, now)) this.#retained.add(record);
    // The ones whose time has not come go to the end, so that a token far ahead of the clock does not keep the others.
    let early = 0;
    for (const retained of this.#retained) {
      if (early === 2) break;
      if (this.#forget(retained, now)) continue;
      early += 1;
      this.#retained.delete(retained);
      this.#retained.add(retained);
    }
  }

  #forget(record: KeyRecord, now: number): boolean {
    if (record.idle && record.token >= now) return false;
    this.#retained.delete(record);
    if (record.idle) this.#records.delete(record.key);
    return true;
  }

  #microseconds(): number {
    return Math.floor((this.#clock.origin + this.#clock.now()) * 1_000);
  }
}

/** A store for memory providers: what a server would be to them. */
export function createMemoryStore(options?: MemoryStoreOptions): MemoryStore {
  return new MemoryStore(options);
}
