import type { LockProvider } from '../contract.ts';
import type { LockError } from '../errors/lock-error.ts';
import type { Runtime } from '../time/runtime.ts';
import type { TimerWheel } from '../time/timer-wheel.ts';
import type { AbortFollowers } from './abort-followers.ts';
import type { BackgroundReleases } from './background-releases.ts';
import type { HolderLookups } from './holder-lookups.ts';
import type { LinkedMember, LinkedSet } from './linked-set.ts';

/** A lease or an acquisition, as `Locks.close` sees it. */
export interface Closable extends LinkedMember {
  /** Ends it because its `Locks` is closing. */
  close(reason: LockError): void;
}

/** What a lease needs from the `Locks` that made it. */
export interface LeaseHost {
  readonly provider: LockProvider;
  readonly runtime: Runtime;
  readonly timers: TimerWheel;
  readonly releases: BackgroundReleases;
  readonly leases: LinkedSet<Closable>;
  /** The signals that end leases and waits. */
  readonly signals: AbortFollowers;
}

/** What an acquisition needs from the `Locks` that started it. */
export interface AcquisitionHost extends LeaseHost {
  /** The timers of waiting claims. They keep the process running. */
  readonly waitTimers: TimerWheel;
  readonly acquisitions: LinkedSet<Closable>;
  /** Who holds a key, for the messages of timeouts. */
  readonly lookups: HolderLookups;
  readonly maxWaiters: number;
  /** How many of the acquisitions wait: their first answer was busy. */
  waiting: number;
  nextOwner(): string;
}
