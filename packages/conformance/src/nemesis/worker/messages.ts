import type { HistoryEvent } from '@locks/core/testing';
import type { Json, Turn } from '../script.ts';
import type { Address } from '../target.ts';

/** What one worker is. */
export interface Assignment {
  /** What the history calls it. */
  readonly process: string;
  /** What the keys of the round begin with. */
  readonly prefix: string;
  /** The module that opens the locks. Absent: `openLocks` does. */
  readonly module?: string;
  readonly args: Json;
  readonly addresses: readonly Address[];
  readonly settings: { readonly [name: string]: Json };
  /** None: it has only to look. */
  readonly flows: readonly (readonly Turn[])[];
  /** In ms: the ttl of leases whose turn has none. */
  readonly ttl: number;
  /** The port of the register. */
  readonly register: number;
  /** The path of its log. */
  readonly log: string;
  /** In ms: what the clock of the wall and that of `now` show at the same moment. */
  readonly wall: number;
}

/** From the controller to a worker. */
export type Order =
  /** Answered when the locks are open. */
  | { readonly kind: 'begin'; readonly assignment: Assignment }
  /** Finish what is under way, and take these turns in each flow. Answered when that is done. */
  | { readonly kind: 'calm'; readonly turns: readonly Turn[] }
  /** Stand still for so many ms, without a look at anything. */
  | { readonly kind: 'block'; readonly duration: number }
  /** Put the clock of the wall off by so many ms. */
  | { readonly kind: 'clock-step'; readonly by: number }
  /** Answers what is held or waited for after so many ms, a line for each. */
  | {
      readonly kind: 'look';
      readonly keys: readonly string[];
      readonly jobs: readonly string[];
      readonly within: number;
    }
  /** Close, and end without being told to. */
  | { readonly kind: 'leave' };

/** A line of the log of a worker. */
export type Note =
  | HistoryEvent
  /** An error that no caller caught. */
  | { readonly type: 'crash'; readonly at: number; readonly message: string }
  /** All is closed and the process has only to end. */
  | { readonly type: 'close'; readonly at: number; readonly heap: number; readonly open: readonly string[] };
