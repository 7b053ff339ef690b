import type { Claim, KeyState } from '@locks/core';
import type { Session } from '../session/session.ts';
import type { OwnNode } from '../nodes/own-node.ts';
import type { LiveClaim } from './live-claim.ts';

/**
 * How often one attempt checks a lock that other clients change. With fewer, it polls more often.
 */
export const looks = 10;

/** How an attempt ended. */
export type AttemptResult =
  | { readonly holds: true }
  /** Check again after `retryAfter` ms. A waiter is woken earlier. */
  | { readonly holds: false; readonly retryAfter: number };

/** One layout of a lock in nodes. */
export interface Recipe {
  /**
   * Creates a node for the claim, unless it has one, and resolves to whether it holds. A claim that
   * neither holds nor waits has no node afterwards.
   */
  attempt(own: LiveClaim, claim: Claim): Promise<AttemptResult>;
  /** Removes the nodes of the claim. `true`: its node existed. */
  leave(own: LiveClaim): Promise<boolean>;
  /** The node of the claim was found to be gone. */
  gone?(own: LiveClaim): void;
  /** Removes the node of a claim of another session. `true`: it held. */
  evict(session: Session, claim: Claim): Promise<boolean>;
  inspect(session: Session, key: string): Promise<KeyState>;
  /** Whether each of these nodes under the root has a holder or waiter. */
  used(session: Session, names: readonly string[]): Promise<readonly boolean[]>;
}

/** The meaning of a position in the queue. */
export type Verdict =
  | { readonly state: 'holds' }
  /**
   * One of the nodes in `watch` must go first: then check again. `place`: how many are before it.
   */
  | { readonly state: 'waits'; readonly watch: readonly string[]; readonly place: number }
  /** Its node does not exist: it was released, or its session has ended. */
  | { readonly state: 'missing' }
  /** The sequence numbers of the folder are used up, or have restarted. */
  | { readonly state: 'exhausted'; readonly sequence: number };

/** The steps of an attempt in a recipe with a queue. */
export interface QueueSteps {
  /** Finds out the result of a request whose reply was lost. */
  find(own: LiveClaim): Promise<unknown>;
  /** Changes the node of a held claim to `claim`, which has another mode. */
  convert(own: LiveClaim, claim: Claim): Promise<void>;
  /**
   * Enters the queue if needed, and judges the position. `undefined`: it has changed, check again.
   */
  look(own: LiveClaim): Promise<Verdict | undefined>;
  leave(own: LiveClaim): Promise<boolean>;
  gone(own: LiveClaim): void;
  /** The claim holds by its node. */
  holds?(own: LiveClaim, node: OwnNode): void;
}
