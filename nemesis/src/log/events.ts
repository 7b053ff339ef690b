import type { HistoryCall, HistoryEvent } from '@locks/conformance/history';

/** What a worker asked for. */
export interface Ask extends HistoryCall {
  readonly renew: boolean;
  readonly reentrant: boolean;
  /** In ms; absent: the usual one. */
  readonly ttl?: number;
  readonly calm: boolean;
}

type Without<Event, Name extends string> = Event extends unknown ? Omit<Event, Name> : never;
type Noted<Type extends HistoryEvent['type']> = Without<Extract<HistoryEvent, { readonly type: Type }>, 'process'>;

/** A line of the log of a worker, which has the name of the file. `at` is in ms. */
export type WorkerEvent =
  | Noted<'call' | 'granted' | 'busy' | 'failed' | 'held' | 'lost' | 'renewed' | 'release' | 'released'>
  /** The locks are open. */
  | { readonly type: 'open'; readonly at: number }
  /** Of a migration: from now on the process takes locks under that phase. */
  | { readonly type: 'under'; readonly at: number; readonly migration: string; readonly phase: string }
  /** An error that no caller caught. */
  | { readonly type: 'crash'; readonly at: number; readonly message: string }
  /** All is closed and the process has only to end. */
  | { readonly type: 'close'; readonly at: number; readonly heap: number; readonly open: readonly string[] };

/** What the guarded register did with a request of the holder of a token. */
export type RegisterEvent = Noted<'read' | 'written' | 'refused'>;

export type ControlEvent =
  | { readonly type: 'worker'; readonly at: number; readonly worker: string; readonly slot: number }
  | { readonly type: 'exit'; readonly at: number; readonly worker: string; readonly how: string }
  /** A fault has ended; it began at `from`. `slot` is absent if it hit a server. */
  | {
      readonly type: 'fault';
      readonly at: number;
      readonly from: number;
      readonly kind: string;
      readonly slot?: number;
    }
  | { readonly type: 'phase'; readonly at: number; readonly phase: 'faults' | 'recovery' | 'calm' | 'end' }
  /**
   * The processes of a migration have changed to `to`. They were told at `from`, and `after` is the
   * end of the last fault.
   */
  | {
      readonly type: 'change';
      readonly at: number;
      readonly migration: string;
      readonly to: string;
      readonly from: number;
      readonly after: number;
    }
  /** What `migrationStatus` said, which was asked at `from`. `settled`: no fault, and no change. */
  | {
      readonly type: 'status';
      readonly at: number;
      readonly from: number;
      readonly migration: string;
      readonly settled: boolean;
      readonly processes: readonly { readonly process: string; readonly effective: string }[];
      /** The phases that all are in. */
      readonly reached: readonly string[];
    }
  /** Something that the controller saw and that must not be. */
  | { readonly type: 'wrong'; readonly at: number; readonly message: string };

/** All logs of one run. */
export interface RunLog {
  readonly workers: ReadonlyMap<string, readonly WorkerEvent[]>;
  readonly register: readonly RegisterEvent[];
  readonly control: readonly ControlEvent[];
}
