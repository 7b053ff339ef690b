import type { AbortFollowers } from './abort-followers.ts';
import type { Acquisition } from './acquisition.ts';
import type { BackgroundReleases } from './background-releases.ts';
import type { Calendar } from './calendar.ts';
import type { LockProvider } from './contract.ts';
import type { HeldLease } from './held-lease.ts';
import type { Roster } from './roster.ts';
import type { Runtime } from './runtime.ts';

/** What a lease needs from the `Locks` that made it. */
export interface LeaseHost {
  readonly provider: LockProvider;
  readonly runtime: Runtime;
  readonly calendar: Calendar;
  readonly releases: BackgroundReleases;
  readonly leases: Roster<HeldLease>;
  /** The signals that end leases and waits. */
  readonly signals: AbortFollowers;
}

/** What an acquisition needs from the `Locks` that started it. */
export interface AcquisitionHost extends LeaseHost {
  /** The calendar of those who wait; its timer keeps the process alive. */
  readonly waitingCalendar: Calendar;
  readonly acquisitions: Roster<Acquisition>;
  readonly maxWaiters: number;
  /** How many of the acquisitions wait: their first answer was busy. */
  waiting: number;
  nextOwner(): string;
}
