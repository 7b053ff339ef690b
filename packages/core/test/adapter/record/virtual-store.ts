import { createRecordProvider } from '../../../src/adapter/record/create-record-provider.ts';
import type { RecordOptions, RecordStore, StoredRecord } from '../../../src/adapter/record/record-store.ts';
import type { LockProvider, Locks } from '../../../src/index.ts';
import { createLocks } from '../../../src/index.ts';
import { createVirtualRuntime } from '../../../src/testing/index.ts';
import type { VirtualRuntime } from '../../../src/testing/index.ts';

/** In ms, always or at a time. */
export type RoundTrip = number | ((time: number) => number);

/** A process that uses a store in virtual time. */
export interface Process {
  readonly runtime: VirtualRuntime;
  readonly provider: LockProvider;
  readonly locks: Locks;
  readonly calls: { reads: number; replaces: number };
  sleep(ms: number): Promise<void>;
}

/** A store in virtual time, for processes that are near and far. */
export class VirtualStore {
  readonly records = new Map<string, StoredRecord>();
  readonly #base: VirtualRuntime;
  readonly #seed: number;
  #processes = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#base = createVirtualRuntime({ seed });
  }

  get time(): number {
    return this.#base.time;
  }

  /** Advances time by `ms`, in steps, unless `until` says that it is enough. */
  async pass(ms: number, until: () => boolean = () => false): Promise<void> {
    for (const end = this.time + ms; this.time < end && !until();) await this.#base.advance(100);
  }

  /** A process with this round trip. `instead` replaces functions of the store. */
  process(roundTrip: RoundTrip, instead: Partial<RecordStore> = {}, options: RecordOptions = {}): Process {
    const runtime = createVirtualRuntime({ with: this.#base, seed: this.#seed * 1_000 + this.#processes++ });
    const calls = { reads: 0, replaces: 0 };
    const sleep = async (ms: number): Promise<void> => {
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, ms, true));
    };
    const trip = (): number => (typeof roundTrip === 'number' ? roundTrip : roundTrip(this.time));
    const half = async (): Promise<void> => await sleep(Math.max(0.5, trip() / 2));
    const store: RecordStore = {
      name: 'map',
      scope: 'network',
      read: async (key) => {
        calls.reads += 1;
        await half();
        const reply = { ...this.records.get(key), now: this.time };
        await half();
        return reply;
      },
      replace: async (key, seen, next) => {
        calls.replaces += 1;
        await half();
        const stored = this.records.get(key)?.version === seen;
        if (stored) this.records.set(key, next);
        await half();
        return stored;
      },
      ...instead,
    };
    const provider = createRecordProvider(store, { runtime, ...options });
    return { runtime, provider, locks: createLocks(provider, { runtime }), calls, sleep };
  }
}
