import type { LockProvider } from '../contract.ts';
import type { ReadLocksOptions } from '../options/locks-options.ts';
import { createOwners } from '../options/owner.ts';
import { TimerWheel } from '../time/timer-wheel.ts';
import type { AcquisitionHost } from './acquire/acquisition-host.ts';
import { Waiters } from './acquire/acquisition-host.ts';
import { HolderLookups } from './acquire/holder-lookups.ts';
import { createOwnWaits } from './diagnostics/own-waits.ts';
import { SlowWaits } from './diagnostics/slow-waits.ts';
import { AbortFollowers } from './ending/abort-followers.ts';
import { LinkedSet } from './ending/linked-set.ts';
import { BackgroundReleases } from './release/background-releases.ts';

/**
 * What the calls and leases of one client share. `warnsOfOwnWaits`: contexts cannot detect a claim
 * that waits for its own caller.
 */
export function createHost(provider: LockProvider, read: ReadLocksOptions, warnsOfOwnWaits: boolean): AcquisitionHost {
  const { runtime, slowWait: threshold } = read;
  const timers = new TimerWheel(runtime, false);
  const lookups = new HolderLookups(provider, runtime);
  const leases: AcquisitionHost['leases'] = new LinkedSet();
  return {
    provider,
    runtime,
    timers,
    waitTimers: new TimerWheel(runtime, true),
    releases: new BackgroundReleases(provider, runtime),
    leases,
    signals: new AbortFollowers(),
    acquisitions: new LinkedSet(),
    lookups,
    ownWaits: warnsOfOwnWaits ? createOwnWaits(() => leases.members(), threshold) : undefined,
    slowWaits: new SlowWaits({ timers, provider, lookups, threshold }),
    waiters: new Waiters(read.maxWaiters),
    nextOwner: createOwners(runtime, read.label),
  };
}
