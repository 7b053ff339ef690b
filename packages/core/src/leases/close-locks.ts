import type { LockProvider } from '../contract.ts';
import type { LockError } from '../errors/lock-error.ts';
import { settledWithin } from '../time/settled-within.ts';
import type { AcquisitionHost } from './acquire/acquisition-host.ts';

export interface Terms {
  /** For running work, in ms. */
  readonly drain: number;
  /** For releases and the provider, in ms. */
  readonly closeTimeout: number;
  /** The provider closes, too. */
  readonly owned: boolean;
  /** Resolves when the results of ended runs of jobs are recorded. */
  readonly written: () => Promise<void>;
}

/** A `Locks` that closes. */
export interface Closing {
  /** All is over. It never rejects. */
  readonly closed: Promise<void>;
  /** As `closed`, but for work under a lease of these owners: that of the others is over. */
  closedBut(own: ReadonlySet<string>): Promise<void>;
}

/** Work that runs under a lease, which is kept until it ends. */
interface Working {
  readonly owner: string;
  readonly ended: Promise<void>;
}

/**
 * Ends calls and leases, waits for work under leases and for releases, then stops all timers.
 * Releases in a caller's session continue afterwards.
 */
export function closeLocks(host: AcquisitionHost, reason: LockError, terms: Terms): Closing {
  const working = endAll(host, reason);
  const closed = goOn(host, reason, terms, working);
  return {
    closed,
    async closedBut(own) {
      const others = working.filter(({ owner }) => !own.has(owner));
      await (others.length === working.length ? closed : Promise.all(others.map(({ ended }) => ended)));
    },
  };
}

async function goOn(
  host: AcquisitionHost,
  reason: LockError,
  { drain, closeTimeout, owned, written }: Terms,
  working: readonly Working[],
): Promise<void> {
  const { releases, runtime, timers, waitTimers, provider } = host;
  if (working.length > 0 && drain > 0)
    await settledWithin(runtime, drain, Promise.all(working.map(({ ended }) => ended)));
  endAll(host, reason);
  const end = runtime.clock.now() + closeTimeout;
  await settledWithin(runtime, closeTimeout, releases.finished().then(written));
  // A shared session keeps what is left for as long as it lasts.
  if (owned || provider.traits.expiry !== 'session') releases.stop();
  // A caller whose release has no answer yet gets one when its hold has ended.
  if (timers.size === 0) timers.stop();
  waitTimers.stop();
  if (owned) await settledWithin(runtime, Math.max(0, end - runtime.clock.now()), closeQuietly(provider));
}

/** Returns the work whose leases are kept until it ends, or until the second call. */
function endAll({ acquisitions, leases }: AcquisitionHost, reason: LockError): readonly Working[] {
  for (const acquisition of acquisitions.members()) acquisition.close(reason);
  return leases.members().flatMap((lease) => {
    const ended = lease.close(reason);
    return ended === undefined ? [] : [{ owner: lease.owner, ended }];
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
