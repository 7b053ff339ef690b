import type { Mode } from '../../contract.ts';

/** A call for a lock in a history. */
export interface HistoryCall {
  /** The key that is locked. */
  readonly key: string;
  /** Whether others may hold the key as well. */
  readonly mode: Mode;
  /** Shared: the most holders of the key. Absent: any number. */
  readonly permits?: number;
  /** How many permits it takes. @default 1 */
  readonly count?: number;
  /** The called method. Of a `multiLock` each key is a separate call. */
  readonly how:
    | 'acquire'
    | 'tryAcquire'
    | 'withLock'
    | 'tryWithLock'
    | 'multiLock'
    | 'once'
    | 'elect'
    | 'resume'
    | 'downgrade';
  /** Of `once`: its slot. In each of them at most one call of a key may be granted. */
  readonly slot?: string;
  /**
   * The call whose hold continues under this one, with its token: after a `transfer` or
   * `downgrade`.
   */
  readonly continues?: string;
  /** In ms; absent: without limit. */
  readonly wait?: number;
  /** In ms: when the signal of the call aborts. Absent: never. */
  readonly abortAfter?: number;
  /** In ms: the cooldown of the key, from the grant. @default 0 */
  readonly atLeast?: number;
  /** The call was made in a phase without faults, with short holds. */
  readonly calm?: boolean;
}

/**
 * One fact of a history: plain data, which may be written to a file as JSON. `at` is in ms of a
 * monotonic clock that all processes share (`process.hrtime` on one host). It is read before the
 * fact: with `remaining: 200` the lease lasts at least until `at + 200`.
 */
export type HistoryEvent = {
  /** When, in ms. */
  readonly at: number;
  /** The process that records it. */
  readonly process: string;
} & (
  | ({
      /** Names the call, and its lease. */
      readonly id: string;
    } & (
      | {
          readonly type: 'call';
          /** What was called. */
          readonly call: HistoryCall;
        }
      | {
          readonly type: 'granted';
          /** Its fencing token, as text. */
          readonly token: string;
          /** What the lease reported, in ms. */
          readonly remaining: number;
          /** The owner in the store, if known. */
          readonly owner?: string;
        }
      | {
          /** A look at a lease. `release`: it is called next; of a function, the work has ended. */
          readonly type: 'held' | 'release';
          /** What the lease reported, in ms. */
          readonly remaining: number;
        }
      | {
          /** No lease, and no error: `tryAcquire` returned `null`. */
          readonly type: 'busy';
        }
      | {
          readonly type: 'failed';
          /** The code of the error. */
          readonly code: string;
          /** Its message. */
          readonly message: string;
        }
      | {
          readonly type: 'renewed';
          /** `ok`, or the code of the error. */
          readonly code: string;
        }
      | {
          readonly type: 'lost';
          /** The code of the reason of the signal. */
          readonly code: string;
          /** What the lease reported at that moment. */
          readonly held: boolean;
        }
      | {
          readonly type: 'released';
          /** What `release` returned, or the code of its error; `over` at the end of a function. */
          readonly answer: boolean | string;
        }
      | {
          /** The guarded resource answered the holder of a token. */
          readonly type: 'read' | 'written' | 'refused';
          /** The resource of this key. */
          readonly key: string;
          /** The token of the request, as text. */
          readonly token: string;
          /** The value after it. */
          readonly value: number;
        }
    ))
  | {
      readonly type: 'fault';
      /** When it began, in ms. `at` is its end. */
      readonly from: number;
      /** What it was. */
      readonly kind: string;
      /** When it certainly had its effect, in ms. @default `from` to `at` */
      readonly certain?: readonly [number, number];
      /** The affected process. Absent: the store. */
      readonly hit?: string;
    }
  | {
      /** An operator is about to release the hold of `owner` by force. */
      readonly type: 'forced';
      /** The held key. */
      readonly key: string;
      /** As in its `granted`. */
      readonly owner: string;
    }
  | {
      readonly type: 'ended';
      /** By its tester, who expects no answers from it. */
      readonly killed: boolean;
    }
  | {
      /** From now on there are no faults. */
      readonly type: 'healed';
    }
);

/** A guarantee of the library that a history violates. */
export interface Violation {
  /** Which guarantee. */
  readonly rule:
    | 'exclusion'
    | 'slots'
    | 'tokens'
    | 'writes'
    | 'answers'
    | 'told'
    | 'order'
    | 'liveness'
    | 'failures'
    | 'processes'
    | 'leftovers';
  /** What happened, in words. */
  readonly message: string;
  /** When, in ms of the history's clock. */
  readonly at: number;
  /** The calls that show it. */
  readonly ids: readonly string[];
}
