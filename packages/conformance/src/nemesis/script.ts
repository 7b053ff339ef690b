import type { HistoryCall } from '@locks/core/testing';
import type { Direction } from '../faults/faults.ts';

/** What JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * All that a round of the nemesis decides: plain data, which is drawn from a seed, and which a
 * failure is shrunk to and replayed from. Times are in ms from the begin of the round.
 */
export interface Script {
  /** It was drawn from this one. */
  readonly seed: number;
  /** In ms: calls and faults go on so long. Then all is healed, and each key must be had again. */
  readonly length: number;
  /** One process each. */
  readonly workers: readonly WorkerScript[];
  /** Those of one worker do not overlap, nor do those of servers. */
  readonly faults: readonly Fault[];
}

/** What one process does. */
export interface WorkerScript {
  /** By which of the target's openings it opens its locks. */
  readonly opening: string;
  /** The drawn settings of that opening: sizes of pools, options of clients. */
  readonly settings: { readonly [name: string]: Json };
  /** What it does at the same time. Each flow begins anew at its end, until the round is over. */
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
  /** In ms: the key stays closed for so long after a holder was lost. @default 0 */
  readonly lockDelay?: number;
  /** Of a `multiLock`: its other keys. */
  readonly more?: readonly string[];
  /** The call is one of an object: a mutex, a read/write lock, a semaphore. @default false */
  readonly byObject?: boolean;
  /** How many such calls are made at once. @default 1 */
  readonly times?: number;
  /** It is made in each so manieth repetition of its flow, from the first on. @default 1 */
  readonly every?: number;
  /** The lease goes on as another one after its work. */
  readonly next?: 'transfer' | 'downgrade';
  /**
   * What the work does from inside, besides the guarded write. `stop`: of an election; `release`
   * resigns there. `again`: takes the key a second time. `block`: the event loop stands. `force`:
   * releases each holder of the key by force. `close`: closes all that its process has, which then
   * opens it anew.
   */
  readonly inside?: 'renew' | 'release' | 'close' | 'stop' | 'again' | 'block' | 'force';
}

/** Something that goes wrong. */
export interface Fault {
  /** What: a fault of a process or of its network, or one that the target has. */
  readonly kind: string;
  /** When it begins. */
  readonly at: number;
  /** In ms. Of what happens with the next piece on the wire: it waits so long for one. */
  readonly duration: number;
  /** The number of the worker that has it. Absent: a server has it. */
  readonly worker?: number;
  /** The number of the server; with `worker`: only its connections to that one. */
  readonly server?: number;
  /** Of a `deploy`: by which of the target's openings the next process of the worker opens. */
  readonly opening?: string;
  /** Which way it goes, where that matters. */
  readonly direction?: Direction;
  /** How much, where that matters: a delay in ms, a step of a clock in ms, a number of bytes. */
  readonly amount?: number;
}
