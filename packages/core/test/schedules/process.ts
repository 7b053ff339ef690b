import type { Lease, Locks } from '../../src/index.ts';
import type { VirtualRuntime } from '../../src/testing/virtual-runtime.ts';
import type { Link } from './link.ts';

/** One call of `tryAcquire`. */
export interface Wait {
  readonly label: string;
  readonly controller: AbortController;
  until: number;
  open: boolean;
}

/** A lease that was granted. */
export interface Hold {
  readonly lease: Lease;
  readonly signal: AbortSignal;
  released: boolean;
  /** Since when it is known not to be held any more. */
  overSince: number | undefined;
}

export interface Process {
  readonly name: string;
  readonly runtime: VirtualRuntime;
  readonly rate: number;
  readonly link: Link;
  readonly locks: Locks;
  readonly holds: Hold[];
  readonly waits: Wait[];
  /** Renewals and releases by hand that have not settled. */
  pending: number;
  state: 'alive' | 'closed' | 'dead';
  /** When it last was stalled, asleep, cut off or ended: until then it need not be prompt. */
  excusedUntil: number;
  asleepUntil: number;
}

/**
 * The fault in how a running process is told that a lease is over, if there is one. Looks at it,
 * and remembers.
 */
export function lateLoss(hold: Hold, now: number): string | undefined {
  if (hold.released || hold.signal.aborted || hold.lease.held) return undefined;
  hold.overSince ??= now;
  return now > hold.overSince + 5 ? `${hold.lease.owner} is over since ${hold.overSince}, and was not told` : undefined;
}
