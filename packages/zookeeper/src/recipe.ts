import type { Claim, KeyState } from '@locks/core';
import type { LiveClaim } from './live-claim.ts';
import type { Generation } from './session/generation.ts';

/** As many looks as others may change a lock in during one attempt. */
export const looks = 10;
/** In ms: see `waitAt`. */
const waitOfFirst = 5_000;
const longestWait = 60_000;

/**
 * A watch tells of everything. After this long, in ms, a claim looks for what a watch that got lost did not tell; one that is far behind in
 * line, later: a thousand that look every few seconds would send more than the locks themselves.
 */
export function waitAt(place: number): number {
  return Math.min(longestWait, waitOfFirst * Math.max(1, place));
}

/** When to look again where there are too many watches, in ms. */
export const unwatchedWait = 1_000;

/** How an attempt ended. */
export type Standing =
  | { readonly holds: true }
  /** `retryAfter` in ms; whoever waits is woken earlier. */
  | { readonly holds: false; readonly retryAfter: number };

/** One way to lay a lock out in nodes. */
export interface Recipe {
  readonly fair: boolean;
  readonly shared: boolean;
  /** Gives the claim a node, unless it has one, and tells whether it holds. A claim that does not wait has none afterwards unless it holds. */
  attempt(own: LiveClaim, claim: Claim): Promise<Standing>;
  /** Removes whatever the claim has. `true`: its node was there. */
  leave(own: LiveClaim): Promise<boolean>;
  /** Its node was found to be gone, and it is forgotten. */
  gone?(own: LiveClaim): void;
  /** Removes the node of a claim that is not this session's. `true`: it held. */
  evict(session: Generation, claim: Claim): Promise<boolean>;
  inspect(session: Generation, key: string): Promise<KeyState>;
  /** Whether anybody holds or waits, for each of these nodes under the root. */
  used(session: Generation, names: readonly string[]): Promise<readonly boolean[]>;
}
