import type { LockProvider } from '../../contract.ts';
import type { LockError } from '../../errors/lock-error.ts';
import type { Runtime } from '../../time/runtime.ts';
import type { TimerWheel } from '../../time/timer-wheel.ts';
import type { SlowWaits } from '../diagnostics/slow-waits.ts';
import type { AbortFollowers } from '../ending/abort-followers.ts';
import type { Linked, LinkedSet } from '../ending/linked-set.ts';
import type { BackgroundReleases } from '../release/background-releases.ts';

/** A lease, for its client. */
export interface Kept extends Linked {
  readonly key: string;
  readonly owner: string;
  /** Work of `withLock` has begun under it. */
  readonly working: boolean;
  /** When it was granted, by the clock, in whole ms. */
  readonly since: number;
  /**
   * Ends it because its client is closing. Work under it sees its signal first. If it is kept until
   * that work ends, or until this is called again, a promise resolves with its end.
   */
  close(reason: LockError): Promise<void> | undefined;
}

/** What a lease needs from its client. */
export interface LeaseHost {
  readonly provider: LockProvider;
  readonly runtime: Runtime;
  /** They do not keep the process running. */
  readonly timers: TimerWheel;
  readonly releases: BackgroundReleases;
  readonly leases: LinkedSet<Kept>;
  readonly signals: AbortFollowers;
  readonly slowWaits: SlowWaits;
  /** An owner that is never used again. `label`: that of the call. */
  nextOwner(label?: string): string;
}
