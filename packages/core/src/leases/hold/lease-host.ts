import type { AbortFollowers } from '../ending/abort-followers.ts';
import type { Closable } from '../ending/closable.ts';
import type { LinkedSet } from '../ending/linked-set.ts';
import type { SlowWaits } from '../diagnostics/slow-waits.ts';
import type { ReleaseHost } from '../release/release-call.ts';

/** A lease, as its `Locks` sees it. */
export interface Kept extends Closable {
  readonly key: string;
  readonly owner: string;
  /** Work of `withLock` has begun under it. */
  readonly working: boolean;
  /** The clock's reading at the grant, in whole ms. */
  readonly since: number;
  /** `close` waits for that work. */
  readonly draining: boolean;
}

/** What a lease needs from the `Locks` that made it. */
export interface LeaseHost extends ReleaseHost {
  readonly leases: LinkedSet<Kept>;
  /** The work under a lease has ended that `close` waits for. */
  drained: ((owner: string) => void) | undefined;
  /** The signals that end leases and waits. */
  readonly signals: AbortFollowers;
  readonly slowWaits: SlowWaits;
  /** An owner that is never used again. `label`: that of the call. */
  nextOwner(label?: string): string;
}
