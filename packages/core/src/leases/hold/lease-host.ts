import type { AbortFollowers } from '../ending/abort-followers.ts';
import type { Closable } from '../ending/closable.ts';
import type { LinkedSet } from '../ending/linked-set.ts';
import type { SlowWaits } from '../diagnostics/slow-waits.ts';
import type { ReleaseHost } from '../release/release-call.ts';
import type { JointRenewals } from './joint-renewals.ts';

/** What a lease needs from the `Locks` that made it. */
export interface LeaseHost extends ReleaseHost {
  readonly leases: LinkedSet<Closable & { readonly owner: string; readonly draining: boolean }>;
  /** The work under a lease has ended that `close` waits for. */
  drained: ((owner: string) => void) | undefined;
  /** The signals that end leases and waits. */
  readonly signals: AbortFollowers;
  readonly slowWaits: SlowWaits;
  /** For leases that are due at once, where the provider has a call for several. */
  readonly renewals: JointRenewals | undefined;
  /** An owner that is never used again. */
  nextOwner(): string;
}
