import type { Claim, KeyState } from '@locks/core';
import type { LiveClaim } from './live-claim.ts';
import type { Session } from '../session/session.ts';

/** As many looks as others may change a lock in during one attempt. */
export const looks = 10;
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
  gone?(own: LiveClaim): void | Promise<void>;
  /** Removes the node of a claim that is not this session's. `true`: it held. */
  evict(session: Session, claim: Claim): Promise<boolean>;
  inspect(session: Session, key: string): Promise<KeyState>;
  /** Whether anybody holds or waits, for each of these nodes under the root. */
  used(session: Session, names: readonly string[]): Promise<readonly boolean[]>;
}
