import { LockError, isLockError } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import type { Busy, Claim, Grant, Renewal } from '@locks/core';
import { LiveClaim } from '../recipes/live-claim.ts';
import type { Recipe } from '../recipes/recipe.ts';
import type { Session } from '../session/session.ts';
import { highestFloor } from '../tokens/base.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { OwnNode } from '../nodes/own-node.ts';

export interface ClaimsParts {
  readonly recipe: Recipe;
  readonly tokens: Tokens;
  readonly holds: HoldCheckParts;
  /** The usable session. Rejects in time. */
  ready(): Promise<Session>;
}

/** The claims of this process, from the first attempt to the release. */
export class Claims {
  readonly #parts: ClaimsParts;
  /** By owner. */
  readonly #claims = new Map<string, LiveClaim>();

  constructor(parts: ClaimsParts) {
    this.#parts = parts;
  }

  /** `calledAt`: when core called, from which the validity of a grant counts. */
  async acquire(claim: Claim, wake: (() => void) | undefined, calledAt: number): Promise<Grant | Busy> {
    checkFloor(claim.key, claim.floor);
    const { recipe } = this.#parts;
    const session = await this.#parts.ready();
    const own = this.#claimOf(claim, session);
    if (wake !== undefined) own.wakeBy(wake);
    return await own.inTurn(async () => {
      let token: bigint;
      // The call before this one may have dropped it.
      if (!this.#claims.has(claim.owner)) this.#claims.set(claim.owner, own);
      try {
        // A node of an earlier session would precede the new one in the queue.
        if (own.former) await recipe.evict(session, claim);
        own.formerRemoved();
        const result = await recipe.attempt(own, claim);
        if (!result.holds) {
          if (!own.waits && !own.uncertain) this.#forget(own);
          return { granted: false, retryAfter: result.retryAfter };
        }
        token = own.token ?? (await this.#mint(own, claim.floor));
        own.hold(token);
      } catch (error) {
        // A permanently refused claim may not return. A claim that holds continues.
        if (own.token === undefined && !isLockError(error, 'LOCK_UNAVAILABLE')) await this.#giveUp(own);
        throw error;
      }
      const validity = session.deadline - calledAt;
      if (!session.alive || validity <= 0) throw unconfirmed(claim.key);
      return { granted: true, token, validity, lost: session.lost };
    });
  }

  /** `calledAt`: as for `acquire`. */
  async renew(claim: Claim, token: bigint | undefined, calledAt: number): Promise<Renewal | false> {
    const { tokens, holds } = this.#parts;
    const own = this.#claims.get(claim.owner);
    // A hold belongs to the session that granted it.
    for (;;) {
      if (own?.token === undefined || own.node === undefined) return false;
      if (!own.session.alive) return await this.#endFormer(own);
      if (token !== undefined && token < own.token) return false;
      checkFloor(claim.key, token);
      const { node, session } = own;
      const found = await checkHold(holds, own, node, token === undefined, () => this.#nodeGone(own, node.czxid));
      // Unknown: its node existed before, and lasts until the session is lost.
      if (found === 'unknown') return renewal(session.deadline - calledAt);
      if (found === 'there') break;
      await this.#nodeGone(own, node.czxid);
    }
    if (token !== undefined && token > own.token) {
      if (!(await tokens.raise(own, token)) || own.token === undefined) return false;
      own.raiseToken(token);
    }
    return renewal(own.session.deadline - calledAt);
  }

  /** The claim is no longer woken. */
  stopWaiting(owner: string): void {
    this.#claims.get(owner)?.stopWaiting();
  }

  async release(claim: Claim): Promise<boolean> {
    const { recipe, ready } = this.#parts;
    const own = this.#claims.get(claim.owner);
    if (own === undefined) return await recipe.evict(await ready(), claim);
    return await own.inTurn(async () => {
      // The session may recover: until then the result is unknown.
      if (own.session.alive && !own.session.connected) await ready();
      if (!own.session.alive) return await this.#endFormer(own);
      const held = own.token !== undefined;
      const removed = await recipe.leave(own);
      this.#forget(own);
      return held && removed;
    });
  }

  /**
   * The node that exists as long as `owner` holds. `undefined`: it holds nothing in a live session.
   */
  nodeOf(owner: string): { readonly path: string; readonly session: Session } | undefined {
    const own = this.#claims.get(owner);
    if (own?.token === undefined || own.node === undefined || !own.session.alive) return undefined;
    return { path: own.node.path, session: own.session };
  }

  /** Wakes the waiters a last time, and drops all claims. */
  close(): void {
    for (const own of this.#claims.values()) own.wakeForEnd();
    this.#claims.clear();
  }

  async #mint(own: LiveClaim, floor: bigint | undefined): Promise<bigint> {
    try {
      return await this.#parts.tokens.mint(own, floor);
    } catch (error) {
      // An answer may have been garbled: the node is searched, and read, again.
      own.doubtNode();
      throw error;
    }
  }

  /**
   * The servers reported that the node created by `czxid` is gone. If it was the claim's node, the
   * hold is over.
   */
  #nodeGone(own: LiveClaim, czxid: bigint): Promise<void> {
    return own.inTurn(async () => {
      // A downgrade may have replaced the node.
      if (own.node?.czxid !== czxid || own.token === undefined) return;
      // From here on renewals resolve to `false`. If the remainder fails, a release repeats it.
      own.endHold();
      this.#parts.recipe.gone?.(own);
      this.#forget(own);
    });
  }

  #claimOf(claim: Claim, session: Session): LiveClaim {
    const known = this.#claims.get(claim.owner);
    if (known !== undefined && known.session === session) return known;
    const own = new LiveClaim(claim, session, known !== undefined);
    this.#claims.set(claim.owner, own);
    return own;
  }

  /** Removes the node that a lost session may have left: then the claim certainly holds nothing. */
  async #endFormer(own: LiveClaim): Promise<false> {
    await this.#parts.recipe.evict(await this.#parts.ready(), own.claim);
    this.#forget(own);
    return false;
  }

  /**
   * Removes the node that an attempt has left in the queue. If that fails, a release repeats it.
   */
  async #giveUp(own: LiveClaim): Promise<void> {
    try {
      if (own.node !== undefined || own.uncertain) await this.#parts.recipe.leave(own);
      this.#forget(own);
    } catch {
      // The caller gets the reason of the refusal.
    }
  }

  #forget(own: LiveClaim): void {
    own.stopWaiting();
    if (this.#claims.get(own.claim.owner) === own) this.#claims.delete(own.claim.owner);
  }
}

/** A session that has ended by now holds nothing. */
function renewal(validity: number): Renewal | false {
  return validity > 0 ? { validity } : false;
}

/** A permanent refusal must precede the creation of a node. */
function checkFloor(key: string, floor: bigint | undefined): void {
  if (floor === undefined || floor <= highestFloor) return;
  const message = `No token of ${JSON.stringify(key)} can exceed ${floor}: in ZooKeeper the highest is ${highestFloor}.`;
  throw new LockError('LOCK_INVALID', message, { key });
}

function unconfirmed(key: string): LockError {
  const message = `ZooKeeper did not confirm the session in time to grant ${JSON.stringify(key)}; try again.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}

/**
 * The part of the session timeout that a renewal waits for an answer. A lease must not lapse while
 * its session lives: at least two ninths of the timeout are left.
 */
const shareOfTimeout = 9;

interface HoldCheckParts {
  readonly nodes: Nodes;
  readonly deadline: Deadline;
  /** Time limit of a call, in ms. */
  readonly timeout: number;
}

/**
 * Asks the servers whether the `node` of a hold exists. `unknown`, if allowed: the servers do not
 * answer soon. `goneLate` is called if a later answer reports that the node is gone.
 */
async function checkHold(
  { nodes, deadline, timeout }: HoldCheckParts,
  { session }: LiveClaim,
  node: OwnNode,
  mayBeUnknown: boolean,
  goneLate: () => Promise<void>,
): Promise<'there' | 'gone' | 'unknown'> {
  if (!session.connected && mayBeUnknown) return 'unknown';
  // Without a queue, another claim's node may have the same path.
  const looking = nodes.existsLatest(session, node.path).then((stat) => stat?.czxid === node.czxid);
  try {
    const within = Math.min(session.timeout / shareOfTimeout, timeout / 2);
    return (await (mayBeUnknown ? deadline.race(looking, 'a renewal', within) : looking)) ? 'there' : 'gone';
  } catch (error) {
    if (!mayBeUnknown || !session.alive || !isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    // The next renewal may get no answer either, so a late one counts.
    looking.then((there) => (there ? undefined : goneLate())).catch(() => {});
    return 'unknown';
  }
}
