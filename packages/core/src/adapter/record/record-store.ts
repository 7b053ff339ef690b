import type { Traits } from '../../contract.ts';
import type { Duration, OptionReaders } from '../../options/option-reader.ts';
import { duration } from '../../options/duration.ts';
import { runtimeReader } from '../../options/option-readers.ts';
import type { Runtime } from '../../time/runtime.ts';

/** The text stored under one key, and its version. */
export interface StoredRecord {
  /** Made by core: no other text of any key ever has it. At most 40 ASCII characters. */
  readonly version: string;
  /** The text: about 100 bytes, and 60 more for each claim that waits or shares. */
  readonly record: string;
  /**
   * In ms: the store may drop the text after this time without another `replace` of the key. Its
   * entries have ended then, and the next token is higher than earlier ones. `undefined`: it must
   * stay. For stores that expire texts.
   */
  readonly keepFor?: number | undefined;
}

/** What a store contains under one key at one moment. Without a text, the first two are absent. */
export interface ReadRecord {
  /** What `replace` compares: it changes with each write. */
  readonly version?: string | undefined;
  /** The text that was written last. */
  readonly record?: string | undefined;
  /**
   * The time of the store, in ms: a clock that all its clients share and that is never set. Read
   * after the call was sent, and not after the text. Omitted where `expiry` is `'observed'`.
   */
  readonly now?: number | undefined;
}

/**
 * Anything with a conditional write. Keys have 1 to 521 UTF-8 bytes: `key:`, `pace:` or
 * `register:`, and a name. A rejection means that the outcome is unknown; core limits each call by
 * its `timeout`.
 */
export interface RecordStore {
  /** The store's name, for messages and diagnostics. */
  readonly name: string;
  /** Who can meet on one key: one process, the processes of one host, or all of the network. */
  readonly scope: Traits['scope'];
  /** `'strict'`: no text is ever lost or removed. @default 'clock-bounded' */
  readonly fencing?: 'strict' | 'clock-bounded' | undefined;
  /**
   * `'observed'`: `read` returns no time. A hold of a dead process then ends when another process
   * has seen it unchanged for its whole ttl. @default 'ttl'
   */
  readonly expiry?: 'ttl' | 'observed' | undefined;
  /**
   * Optional: the name of this process in `wakes` and `ended` of other stores. It must be unique.
   * @default a name that core generates
   */
  readonly process?: string | undefined;
  /**
   * Optional: whether the process with this name has certainly ended. Its claims then lose the head
   * of the queue. For stores of one host: waiting claims also look at the key beside `watch`.
   */
  ended?(process: string): boolean;
  /** The current text. It sees each `replace` that was answered before, from any process. */
  read(key: string): Promise<ReadRecord>;
  /**
   * Optional: as `read`, for a holder's renewal or release. For a store whose calls wait for one
   * another, as for a connection: it precedes the others, as thousands of waiting claims would
   * delay a renewal beyond its ttl. @default `read`
   */
  readFirst?(key: string): Promise<ReadRecord>;
  /**
   * Atomically writes `next` if the version is still `seen`; `undefined`: no text exists yet.
   * Resolves to `true` if `next` is stored now, also if an earlier try of this call wrote it.
   * `false`: it certainly is not, and will not be. Rejects where that is unknown. With `waited`
   * claims wait for the key, so its watchers should be notified: all, or at least the processes
   * `wakes`, other than this one, whose claims can proceed or were granted the key. A store with
   * versions of its own resolves to that of `next`, instead of `true`. After `within` ms its
   * callers have been answered that its outcome is unknown, so a store that can delay writes should
   * not make it any more. `first`: it is for a holder's renewal or release, as `readFirst`.
   */
  replace(
    key: string,
    seen: string | undefined,
    next: StoredRecord,
    waited: boolean,
    wakes: readonly string[],
    within: number,
    first?: boolean,
  ): Promise<boolean | string>;
  /**
   * Optional: calls `changed` after each `replace` with `waited`, or whose `wakes` name this
   * process, until the returned function is called. An unnecessary call is harmless. It calls
   * `lost` when it may have missed a change. Without this function core polls the key while its
   * claims wait.
   */
  watch?(key: string, changed: () => void, lost: (reason: unknown) => void): Promise<() => void>;
  /** Optional: the keys with this prefix that have a text, unordered. */
  list?(prefix: string): AsyncIterable<string>;
  /** Optional: the ms since 1970 by the store's own clock. */
  time?(): Promise<number>;
  /** Optional: closes what the store opened itself. */
  close?(): Promise<void>;
}

/** Options of a provider over a store with a conditional write. */
export interface RecordOptions {
  /** How long a position in the queue lasts without a refresh. @default 6_000 ms */
  readonly waiterTtl?: Duration | undefined;
  /** The limit of a call, and of each call of the store. @default 5_000 ms */
  readonly timeout?: Duration | undefined;
  /**
   * Without `watch`: the interval between two reads of a key that claims wait for. It is an eighth
   * of that while the head of the queue is of this process, and up to ten times as long where the
   * key was granted long ago. @default 100 ms
   */
  readonly poll?: Duration | undefined;
  /** Clock, timers and randomness. @default those of this process */
  readonly runtime?: Runtime | undefined;
}

/** How the options are checked. */
export const recordReaders: OptionReaders<RecordOptions> = {
  waiterTtl: duration(30, 86_400_000),
  timeout: duration(10, 600_000),
  poll: duration(1, 60_000),
  runtime: runtimeReader,
};
