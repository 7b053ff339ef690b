import { LockError, isLockError, misconfigured } from '../../errors/lock-error.ts';
import { describe } from '../../options/key.ts';
import type { Runtime } from '../../time/runtime.ts';
import type { Deadline } from '../deadline.ts';
import type { RecordStore, StoredRecord } from './record-store.ts';

/** The text of a key, and when it was read. */
export interface ReadState {
  readonly version: string | undefined;
  readonly text: string | undefined;
  /** The store's time. `undefined`: it has none. */
  readonly now: number | undefined;
  /** When the call was sent and answered, by the clock of this process. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

interface Write {
  readonly waited: boolean;
  readonly wakes: readonly string[];
  /** In ms: afterwards its callers have been answered. */
  readonly within: number;
  /** A holder's renewal or release waits for it. */
  readonly first: boolean;
}

/**
 * How much the known distance of the store grows with each read, unless that was faster. More takes
 * an outage for a distance; less learns more slowly that a process has become far.
 */
const growth = 1.05;

/** The two functions of a store, with checked replies. */
export class StoreCalls {
  readonly #store: RecordStore;
  readonly #runtime: Runtime;
  readonly #deadline: Deadline;
  readonly #process: string;
  #written = 0;
  #trip: number | undefined = undefined;

  constructor(store: RecordStore, runtime: Runtime, deadline: Deadline, process: string) {
    this.#store = store;
    this.#runtime = runtime;
    this.#deadline = deadline;
    this.#process = process;
  }

  /** A version that no text of any process has had. */
  nextVersion(): string {
    return `${this.#process}.${(this.#written++).toString(36)}`;
  }

  /** The distance of the store, in ms: the shortest of recent reads. Load only adds to it. */
  get trip(): number {
    return this.#trip ?? 0;
  }

  async read(key: string, first = false): Promise<ReadState> {
    const { clock } = this.#runtime;
    const sentAt = clock.now();
    let reply: unknown;
    try {
      reply = await (first && this.#store.readFirst !== undefined ? this.#store.readFirst(key) : this.#store.read(key));
    } catch (error) {
      throw this.#failed('read', error);
    }
    if (typeof reply !== 'object' || reply === null) throw this.#wrongReply('read', 'an object', reply);
    const { version, record, now } = reply as Readonly<Record<string, unknown>>;
    if (version !== undefined && typeof version !== 'string')
      throw this.#wrongReply('read', '"version" as text', version);
    if (record !== undefined && typeof record !== 'string') throw this.#wrongReply('read', '"record" as text', record);
    if ((version === undefined) !== (record === undefined)) {
      throw this.#wrongReply('read', '"version" and "record", or neither', version ?? record);
    }
    const receivedAt = clock.now();
    const took = receivedAt - sentAt;
    this.#trip = Math.min(took, growth * Math.max(1, this.#trip ?? took));
    if (this.#store.expiry === 'observed') return { version, text: record, now: undefined, sentAt, receivedAt };
    if (typeof now !== 'number' || !Number.isFinite(now)) {
      throw this.#wrongReply('read', '"now" as a number of ms (without a clock: expiry: "observed")', now);
    }
    return { version, text: record, now, sentAt, receivedAt };
  }

  /** The version of `next` in the store. `undefined`: it was not written. */
  async replace(
    key: string,
    seen: string | undefined,
    next: StoredRecord,
    { waited = false, wakes = [], within = this.#deadline.timeout, first = false }: Partial<Write> = {},
  ): Promise<string | undefined> {
    let replaced: unknown;
    try {
      replaced = await this.#store.replace(key, seen, next, waited, wakes, within, first);
    } catch (error) {
      throw this.#failed('replace', error);
    }
    if (typeof replaced === 'string') return replaced;
    if (typeof replaced === 'boolean') return replaced ? next.version : undefined;
    throw this.#wrongReply('replace', 'true or false, or the version as text', replaced);
  }

  async time(): Promise<number> {
    let time: unknown;
    try {
      time = await this.#store.time?.();
    } catch (error) {
      throw this.#failed('time', error);
    }
    if (typeof time === 'number' && Number.isFinite(time)) return time;
    throw this.#wrongReply('time', 'a number of ms', time);
  }

  /** The reply of `call`, in time. */
  bounded<T>(what: string, call: Promise<T>): Promise<T> {
    return this.#deadline.race(call, what);
  }

  /** What the store throws means that the outcome is unknown. */
  #failed(what: string, error: unknown): LockError {
    if (isLockError(error)) return error;
    const why = error instanceof Error ? error.message : describe(error);
    return new LockError('LOCK_UNAVAILABLE', `${this.#store.name}: ${what} failed: ${why}`, { cause: error });
  }

  #wrongReply(what: string, expected: string, found: unknown): LockError {
    return misconfigured(
      `The store "${this.#store.name}"`,
      `${what} must resolve to ${expected}, not ${describe(found)}`,
    );
  }
}
