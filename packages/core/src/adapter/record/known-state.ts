import { earliest } from '../../key/record.ts';
import type { EntryEnds } from './entry-ends.ts';
import type { PendingCall } from './pending-call.ts';
import type { StoredKey } from './record-text.ts';
import type { ReadState } from './store-calls.ts';
import { reusedMoment } from './store-time.ts';
import type { Moment } from './store-time.ts';

/**
 * After a state proved outdated, this many calls read first: another process writes the key, too.
 * With fewer, every second write is wasted. With more, calls keep reading after the other process
 * has stopped.
 */
const readsAfter = 8;

/**
 * One of this many calls in a row reads. Two writes then have a longer gap, in which another
 * process can write. With more, near processes wait longer behind one that never pauses.
 */
const mostUnread = 16;

/** What one process knows of a key, so that most of its calls neither read nor parse it. */
export class KnownState {
  readonly #key: string;
  readonly #ends: EntryEnds;
  /** What was read or written last, if it may be current. */
  #last: ReadState | undefined = undefined;
  /** The record of a version. */
  #parsed: { readonly version: string | undefined; readonly record: StoredKey } | undefined = undefined;
  #readsFirst = 0;
  /** The number of its latest calls that did not read. */
  #unread = 0;

  constructor(key: string, ends: EntryEnds) {
    this.#key = key;
    this.#ends = ends;
  }

  /** The record of `state`, read-only. */
  recordOf(state: ReadState): StoredKey {
    // Without a time of the store, what is read also shows when entries end.
    if (state.now === undefined) return this.#ends.read(this.#key, state);
    if (this.#parsed === undefined || this.#parsed.version !== state.version)
      this.#parsed = { version: state.version, record: this.#ends.read(this.#key, state) };
    return this.#parsed.record;
  }

  /** The record of `state`, for a caller that changes it. */
  takeRecord(state: ReadState): StoredKey {
    const record = this.recordOf(state);
    this.#parsed = undefined;
    // Another state is current soon, or may be.
    this.#last = undefined;
    return record;
  }

  /** `state` is current, with this record. */
  set(state: ReadState, record: StoredKey): void {
    this.#last = state;
    if (state.now !== undefined) this.#parsed = { version: state.version, record };
  }

  /** A call without a read found another state in the store. */
  refuted(): void {
    this.#readsFirst = readsAfter;
  }

  /**
   * The last state, for calls that grant a hold for `ttl` ms without a read. `undefined`: a grant
   * would be much shorter, an entry may have ended, or the state is too old.
   */
  unread(
    calls: readonly PendingCall[],
    local: number,
  ): { readonly state: ReadState; readonly moment: Moment } | undefined {
    const state = this.#last;
    if (state === undefined) return undefined;
    if (this.#readsFirst > 0) {
      this.#readsFirst -= 1;
      return undefined;
    }
    this.#unread = (this.#unread + 1) % mostUnread;
    if (this.#unread === 0) return undefined;
    const moment = reusedMoment(state, local);
    if (moment === undefined) return undefined;
    for (const { call } of calls) if (moment.slack * 20 > call.ttl) return undefined;
    const { holds, queue } = this.recordOf(state);
    const first = Math.min(earliest(holds, Infinity), earliest(queue, Infinity));
    return first > moment.now + moment.slack ? { state, moment } : undefined;
  }
}
