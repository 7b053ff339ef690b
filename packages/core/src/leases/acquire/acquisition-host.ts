import type { TimerWheel } from '../../time/timer-wheel.ts';
import type { Closable } from '../ending/closable.ts';
import type { LinkedSet } from '../ending/linked-set.ts';
import type { OwnWaits } from '../diagnostics/own-waits.ts';
import type { LeaseHost } from '../hold/lease-host.ts';
import type { HolderLookups } from './holder-lookups.ts';

/** What an acquisition needs from the `Locks` that started it. */
export interface AcquisitionHost extends LeaseHost {
  /** The timers of waiting claims. They keep the process running. */
  readonly waitTimers: TimerWheel;
  readonly acquisitions: LinkedSet<Closable>;
  /** Finds the holders of a key, for the messages of timeouts. */
  readonly lookups: HolderLookups;
  /** `undefined`: contexts tell who waits for itself, or are not to tell. */
  readonly ownWaits: OwnWaits | undefined;
  readonly maxWaiters: number;
  /** How many of the acquisitions wait: their first answer was busy. */
  waiting: number;
}
