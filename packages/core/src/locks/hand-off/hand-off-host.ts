import type { LockProvider } from '../../contract.ts';
import type { Clock } from '../../time/clock.ts';
import type { TimerWheel } from '../../time/timer-wheel.ts';

/** What local hand-offs need, and their bounds. */
export interface HandOffHost {
  /** The store. */
  readonly provider: LockProvider;
  readonly clock: Clock;
  /** They do not keep the process running. */
  readonly timers: TimerWheel;
  /** A hold is handed on so many times at most. */
  readonly count: number;
  /** A hold is handed on within so many ms of its grant, and not later. */
  readonly ms: number;
}
