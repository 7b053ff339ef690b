import type { Claim, KeyState } from '@locks/core';
import type { Session } from '../session/session.ts';
import type { OwnNode } from '../nodes/own-node.ts';
import type { LiveClaim } from './live-claim.ts';

/**
 * How often one attempt looks at a lock that other clients change. With fewer, it polls more often.
 */
export const looks = 10;

/** How an attempt ended. */
export type AttemptResult =
  | { readonly holds: true }
  /** Look again after `retryAfter` ms. A waiter is woken earlier. */
  | { readonly holds: false; readonly retryAfter: number };

/** One way to lay a lock out in nodes. */
export interface Recipe {
  readonly fair: boolean;
  readonly shared: boolean;
  /**
   * Gives the claim a node, unless it has one, and tells whether it holds. A claim that neither
   * holds nor waits has no node afterwards.
   */
  attempt(own: LiveClaim, claim: Claim): Promise<AttemptResult>;
  /** Removes the nodes of the claim. `true`: its node was there. */
  leave(own: LiveClaim): Promise<boolean>;
  /** The node of the claim was found to be gone. */
  gone?(own: LiveClaim): void | Promise<void>;
  /** Removes the node of a claim of another session. `true`: it held. */
  evict(session: Session, claim: Claim): Promise<boolean>;
  inspect(session: Session, key: string): Promise<KeyState>;
  /** Whether a client holds or waits, for each of these nodes under the root. */
  used(session: Session, names: readonly string[]): Promise<readonly boolean[]>;
}

/** What a position in the queue means. */
export type Verdict =
  | { readonly state: 'holds' }
  /**
   * One of the nodes in `watch` must go first: then look again. `place`: how many are before it.
   */
  | { readonly state: 'waits'; readonly watch: readonly string[]; readonly place: number }
  /** Its node is not there: it was released, or its session has ended. */
  | { readonly state: 'missing' }
  /** The sequence numbers of the folder are used up, or have begun anew. */
  | { readonly state: 'exhausted'; readonly sequence: number };

/** How a recipe with a queue does the steps of an attempt. */
export interface QueueSteps {
  /** Finds out what became of a request whose reply was lost. */
  find(own: LiveClaim): Promise<unknown>;
  /** Makes the node of a held claim stand for `claim`, which has another mode. */
  convert(own: LiveClaim, claim: Claim): Promise<void>;
  /** Enters the queue if need be, and judges the place. `undefined`: it has changed, look again. */
  look(own: LiveClaim): Promise<Verdict | undefined>;
  leave(own: LiveClaim): Promise<boolean>;
  gone(own: LiveClaim): void;
  /** The claim holds by its node. */
  holds?(own: LiveClaim, node: OwnNode): void;
}
