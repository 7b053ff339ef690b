import type { HistoryEvent } from '@locks/core/testing';
import type { Json, Turn } from '../script.ts';
import type { Address } from '../target.ts';

export interface Assignment {
  /** Its name in the history. */
  readonly process: string;
  /** The prefix of the keys of the round. */
  readonly prefix: string;
  /** The module that opens the client. Absent: `openLocks` does. */
  readonly module?: string;
  readonly args: Json;
  readonly addresses: readonly Address[];
  readonly settings: { readonly [name: string]: Json };
  /** None: it only looks. */
  readonly flows: readonly (readonly Turn[])[];
  /** In ms: the ttl of leases whose turn has none. */
  readonly ttl: number;
  /** The port of the register. */
  readonly register: number;
  /** The path of its log. */
  readonly log: string;
  /** The wall clock and `now` at the same moment, in ms. */
  readonly wall: number;
}

/** From the controller to a worker. */
export type Order =
  /** Answered when the client is open. */
  | { readonly kind: 'begin'; readonly assignment: Assignment }
  /** Finish the work in progress, and take these turns in each flow. Answered when that is done. */
  | { readonly kind: 'calm'; readonly turns: readonly Turn[] }
  /** Block for `duration` ms. */
  | { readonly kind: 'block'; readonly duration: number }
  /** Step the wall clock by `by` ms. */
  | { readonly kind: 'clock-step'; readonly by: number }
  /** Returns what is still held or waited for after this time, in ms: a line each. */
  | {
      readonly kind: 'look';
      readonly keys: readonly string[];
      readonly jobs: readonly string[];
      readonly within: number;
    }
  /** Close, and end by itself. */
  | { readonly kind: 'leave' };

/** A line of the log of a worker. */
export type Note =
  | HistoryEvent
  | { readonly type: 'crash'; readonly at: number; readonly message: string }
  /** All is closed and the process only has to end. */
  | { readonly type: 'close'; readonly at: number; readonly heap: number; readonly open: readonly string[] };
