import type { LockProvider } from '../contract.ts';
import type { LockError } from '../errors/lock-error.ts';
import { settledWithin } from '../time/settled-within.ts';
import type { AcquisitionHost } from './acquire/acquisition-host.ts';

export interface Closing {
  /** For running work, in ms. */
  readonly drain: number;
  /** For releases and the provider, in ms. */
  readonly closeTimeout: number;
  /** Owners of the leases whose work calls `close`. It is not waited for. */
  readonly own: ReadonlySet<string>;
  /** The provider closes, too. */
  readonly owned: boolean;
  /** Resolves when the ends of runs of jobs that have ended are recorded. */
  readonly written: () => Promise<void>;
}

/**
 * Ends calls and leases, waits for work under leases and for releases, and then stops all timers.
 * Releases that a session of the caller's needs go on behind it. It never rejects.
 */
export async function closeLocks(host: AcquisitionHost, reason: LockError, closing: Closing): Promise<void> {
  const { drain, own } = closing;
  const { releases, runtime, timers, waitTimers, provider } = host;
  const working = endAll(host, reason, own);
  if (working.length > 0 && drain > 0) await settledWithin(runtime, drain, Promise.all(working));
  void endAll(host, reason, own);
  const end = runtime.clock.now() + closing.closeTimeout;
  await settledWithin(runtime, closing.closeTimeout, releases.finished().then(closing.written));
  // A session that others use keeps what is left for as long as it lasts.
  if (closing.owned || provider.traits.expiry !== 'session') releases.stop();
  // A caller whose release has no answer yet hears when its hold has ended.
  if (timers.size === 0) timers.stop();
  waitTimers.stop();
  if (closing.owned) await settledWithin(runtime, Math.max(0, end - runtime.clock.now()), closeQuietly(provider));
}

/** Gives the ends of the leases that are kept until the work under them ends, but for `own`. */
function endAll(
  { acquisitions, leases }: AcquisitionHost,
  reason: LockError,
  own: ReadonlySet<string>,
): readonly Promise<void>[] {
  for (const acquisition of acquisitions.members()) acquisition.close(reason);
  return leases.members().flatMap((lease) => {
    const ended = lease.close(reason);
    return ended === undefined || own.has(lease.owner) ? [] : [ended];
  });
}

/** Closes `provider`. Never rejects. */
export async function closeQuietly(provider: LockProvider): Promise<void> {
  try {
    await provider.close();
  } catch {
    // The caller has ended with it.
  }
}
