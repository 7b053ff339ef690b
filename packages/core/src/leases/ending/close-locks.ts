import type { LockError } from '../../errors/lock-error.ts';
import { settledWithin } from '../../time/settled-within.ts';
import type { AcquisitionHost } from '../acquire/acquisition-host.ts';
import { closeQuietly } from './close-quietly.ts';

/** How a `Locks` closes. */
export interface Closing {
  /** For running work, in ms. */
  readonly drain: number;
  /** For releases and the provider, in ms. */
  readonly closeTimeout: number;
  /** Owners of the leases whose work calls `close`. It is not waited for. */
  readonly own: ReadonlySet<string>;
  /** The provider closes, too. */
  readonly owned: boolean;
}

/**
 * Ends calls and leases, waits for work under leases and for releases, and then stops all timers.
 * Releases that a session of the caller's needs go on behind it. It never rejects.
 */
export async function closeLocks(host: AcquisitionHost, reason: LockError, closing: Closing): Promise<void> {
  const { releases, runtime, timers, waitTimers, provider } = host;
  endAll(host, reason);
  await drained(host, closing);
  endAll(host, reason);
  const end = runtime.clock.now() + closing.closeTimeout;
  await settledWithin(runtime, closing.closeTimeout, releases.finished());
  // A session that others use keeps what is left for as long as it lasts.
  if (closing.owned || provider.traits.expiry !== 'session') releases.stop();
  // A caller whose release has no answer yet hears when its hold has ended.
  if (timers.size === 0) timers.stop();
  waitTimers.stop();
  if (closing.owned) await settledWithin(runtime, Math.max(0, end - runtime.clock.now()), closeQuietly(provider));
}

function endAll({ acquisitions, leases }: AcquisitionHost, reason: LockError): void {
  for (const acquisition of acquisitions.members()) acquisition.close(reason);
  for (const lease of leases.members()) lease.close(reason);
}

/** Work under leases ends, or has had its time. */
async function drained(host: AcquisitionHost, { drain, own }: Closing): Promise<void> {
  let left = host.leases.members().filter(({ draining, owner }) => draining && !own.has(owner)).length;
  if (left === 0 || drain === 0) return;
  const allDrained = new Promise<void>((resolve) => {
    host.drained = (owner) => {
      if (!own.has(owner)) left -= 1;
      if (left === 0) resolve();
    };
  });
  await settledWithin(host.runtime, drain, allDrained);
}
