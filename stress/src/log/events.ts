/**
 * The lines of the logs. `t` is in microseconds of the host's monotonic clock and is read before
 * the fact that the line tells: a `left` of 200 says that the lease promised to last until `t` +
 * 200 ms.
 */
export type WorkerEvent =
  /** The locks are open. */
  | { readonly ev: 'open'; readonly t: number }
  | { readonly ev: 'call'; readonly t: number; readonly id: string; readonly ask: Ask }
  | { readonly ev: 'grant'; readonly t: number; readonly id: string; readonly token: string; readonly left: number }
  /** `tryAcquire` answered null. */
  | { readonly ev: 'busy'; readonly t: number; readonly id: string }
  /** The call rejected. */
  | { readonly ev: 'failed'; readonly t: number; readonly id: string; readonly code: string; readonly message: string }
  | { readonly ev: 'held'; readonly t: number; readonly id: string; readonly left: number }
  /** The signal of the lease fired; `held` is what the lease said of itself in that moment. */
  | { readonly ev: 'lost'; readonly t: number; readonly id: string; readonly code: string; readonly held: boolean }
  /** A call of `renew` settled: `ok` or the code of its error. */
  | { readonly ev: 'renewed'; readonly t: number; readonly id: string; readonly code: string }
  /** `release` is called next; at the end of `withLock`, the work is over. */
  | { readonly ev: 'release'; readonly t: number; readonly id: string; readonly left: number }
  /** What `release` answered, or the code of its error; `withLock` tells `over`. */
  | { readonly ev: 'released'; readonly t: number; readonly id: string; readonly answer: boolean | string }
  /** Of a migration: from now on the process takes locks under that phase. */
  | { readonly ev: 'under'; readonly t: number; readonly migration: string; readonly phase: string }
  /** An error that no caller caught. */
  | { readonly ev: 'crash'; readonly t: number; readonly message: string }
  /** All is closed and the process has only to end. */
  | { readonly ev: 'close'; readonly t: number; readonly heap: number; readonly open: readonly string[] };

/** What a worker asked for. */
export interface Ask {
  readonly key: string;
  readonly mode: 'exclusive' | 'shared';
  readonly permits?: number;
  readonly how: 'acquire' | 'tryAcquire' | 'withLock';
  /** In ms; absent: without limit. */
  readonly wait?: number;
  /** In ms: when the signal of the call aborts. */
  readonly abortAfter?: number;
  readonly renew: boolean;
  readonly reentrant: boolean;
  /** In ms; absent: the usual one. */
  readonly ttl?: number;
  /** Part of the calm phase at the end of a round. */
  readonly calm: boolean;
}

/** What the guarded register did with a request of the holder of `token`. */
export interface RegisterEvent {
  readonly t: number;
  readonly ev: 'read' | 'accept' | 'refuse';
  readonly id: string;
  readonly key: string;
  readonly token: string;
  /** After the request. */
  readonly value: number;
}

export type ControlEvent =
  | { readonly ev: 'worker'; readonly t: number; readonly worker: string; readonly slot: number }
  | { readonly ev: 'exit'; readonly t: number; readonly worker: string; readonly how: string }
  /** A fault has ended; it began at `from`. `slot` is absent if it hit a server. */
  | { readonly ev: 'fault'; readonly t: number; readonly from: number; readonly kind: string; readonly slot?: number }
  | { readonly ev: 'phase'; readonly t: number; readonly phase: 'faults' | 'recovery' | 'calm' | 'end' }
  /**
   * The processes of a migration have changed to `to`. They were told at `from`, and `after` is the
   * end of the last fault.
   */
  | {
      readonly ev: 'change';
      readonly t: number;
      readonly migration: string;
      readonly to: string;
      readonly from: number;
      readonly after: number;
    }
  /** What `migrationStatus` said, which was asked at `from`. `settled`: no fault, and no change. */
  | {
      readonly ev: 'status';
      readonly t: number;
      readonly from: number;
      readonly migration: string;
      readonly settled: boolean;
      readonly processes: readonly { readonly process: string; readonly effective: string }[];
      /** The phases that all are in. */
      readonly reached: readonly string[];
    }
  /** Something that the controller saw and that must not be. */
  | { readonly ev: 'wrong'; readonly t: number; readonly message: string };

/** All logs of one run. */
export interface RunLog {
  readonly workers: ReadonlyMap<string, readonly WorkerEvent[]>;
  readonly register: readonly RegisterEvent[];
  readonly control: readonly ControlEvent[];
}
