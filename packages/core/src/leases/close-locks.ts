import type { LockProvider } from '../contract.ts';
import type { LockError } from '../errors/lock-error.ts';
import { settledWithin } from '../time/settled-within.ts';
import type { AcquisitionHost } from './acquire/acquisition-host.ts';

export interface Closing {
  /** For running work, in ms. */
  readonly drain: number;
  /** For releases and the provider, in ms. */
  readonly closeTimeout: number;
  /** Owners of the leases whose work calls `close`. It does not wait for them. */
  readonly own: ReadonlySet<string>;
  readonly owned: boolean;
  /** Resolves when the results of ended runs of jobs are recorded. */
  readonly written: () => Promise<void>;
}

/**
 * Ends calls and leases, waits for work under leases and for releases, then stops all timers.
 * Releases in a caller's session continue afterwards. It never rejects.
 */
export async function closeLocks(host: AcquisitionHost, reason: LockError, closing: Closing): Promise<void> {
  const { drain, own } = closing;
  const { releases, runtime, timers, waitTimers, provider } = host;
  const working = endAll(host, reason, own);
  if (working.length > 0 && drain > 0) await settledWithin(runtime, drain, Promise.all(working));
  void endAll(host, reason, own);
  const end = runtime.clock.now() + closing.closeTimeout;
  await settledWithin(runtime, closing.closeTimeout, releases.finished().then(closing.written));
  // A shared session keeps what is left for as long as it lasts.
  if (closing.owned || provider.traits.expiry !== 'session') releases.stop();
  // A caller whose release has no answer yet gets one when its hold has ended.
  if (timers.size === 0) timers.stop();
  waitTimers.stop();
  if (closing.owned) await settledWithin(runtime, Math.max(0, end - runtime.clock.now()), closeQuietly(provider));
}

/** Returns the ends of the leases kept until their work ends, except `own`. */
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
    // It ends with the caller.
  }
}
