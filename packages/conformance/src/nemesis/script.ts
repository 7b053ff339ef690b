import type { HistoryCall } from '@locks/core/testing';
import type { Direction } from '../faults/faults.ts';

/** What JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * A round of the nemesis: plain data, drawn from a seed, to which a failure is shrunk and from
 * which it is replayed. Times are in ms from the begin of the round.
 */
export interface Script {
  /** The seed that it was drawn from. */
  readonly seed: number;
  /**
   * The duration of calls and faults, in ms. Then all is healed, and each key must be granted
   * again.
   */
  readonly length: number;
  /** One process each. */
  readonly workers: readonly WorkerScript[];
  /** Those of one worker do not overlap, nor do those of servers. */
  readonly faults: readonly Fault[];
}

/** What one process does. */
export interface WorkerScript {
  /** The name of the opening of its client, in the target. */
  readonly opening: string;
  /** The drawn settings of that opening: sizes of pools, options of clients. */
  readonly settings: { readonly [name: string]: Json };
  /** Its simultaneous flows. Each starts over at its end, until the round ends. */
  readonly flows: readonly (readonly Turn[])[];
}

/** One call for a lock, and what is done with the lease. */
export interface Turn extends HistoryCall {
  /** In ms: the pause before it. */
  readonly think: number;
  /** In ms: how long the work under the lock takes. */
  readonly hold: number;
  /** In ms. @default that of the target */
  readonly ttl?: number;
  /** Whether the lease is renewed. @default true */
  readonly renew?: boolean;
  /** @default false */
  readonly reentrant?: boolean;
  /** Of `once`: `onFailure: 'retry'`, so that a slot may run again. @default false */
  readonly retries?: boolean;
  /** The cooldown of the key after the loss of a holder, in ms. @default 0 */
  readonly lockDelay?: number;
  /** Of a `multiLock`: its other keys. */
  readonly more?: readonly string[];
  /** The call is one of an object: a mutex, a read/write lock, a semaphore. @default false */
  readonly byObject?: boolean;
  /** How many such calls are made simultaneously. @default 1 */
  readonly times?: number;
  /** It is made in every n-th repetition of its flow, beginning with the first. @default 1 */
  readonly every?: number;
  /** The lease continues as another one after its work. */
  readonly next?: 'transfer' | 'downgrade';
  /**
   * What the work does besides the guarded write. `stop`: of an election; `release` resigns there.
   * `again`: takes the key a second time. `block`: blocks the event loop. `force`: releases each
   * holder of the key by force. `close`: closes all clients of its process, which then opens new
   * ones.
   */
  readonly inside?: 'renew' | 'release' | 'close' | 'stop' | 'again' | 'block' | 'force';
}

/** One fault of a round. */
export interface Fault {
  /** A fault of a process or of its network, or one that the target defines. */
  readonly kind: string;
  /** When it begins. */
  readonly at: number;
  /** In ms. Of a fault of the next piece on the wire: how long it waits for one. */
  readonly duration: number;
  /** The number of the affected worker. Absent: a server is affected. */
  readonly worker?: number;
  /** The number of the server; with `worker`: only its connections to that one. */
  readonly server?: number;
  /** Of a `deploy`: the opening of the worker's next process. */
  readonly opening?: string;
  /** The direction, if it has one. */
  readonly direction?: Direction;
  /** The amount, if any: a delay in ms, a step of a clock in ms, a number of bytes. */
  readonly amount?: number;
}
