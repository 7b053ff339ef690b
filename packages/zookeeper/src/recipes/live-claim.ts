import type { Claim } from '@locks/core';
import type { OwnNode } from '../nodes/own-node.ts';
import type { Session } from '../session/session.ts';

/**
 * One claim of this process in one session.
 *
 * A claim with a token holds. It then has its node, or the node is being searched (`uncertain`).
 * The mode and permits of `claim` are those of its node. Only its methods change it.
 */
export class LiveClaim {
  readonly session: Session;
  claim: Claim;
  node: OwnNode | undefined = undefined;
  /** A request that creates or changes its node was sent, and the result is unknown. */
  uncertain = false;
  /** An earlier session may have left a node of it. */
  former: boolean;
  /** The token of its hold. */
  token: bigint | undefined = undefined;
  #wake: (() => void) | undefined = undefined;
  /** One of these nodes must go before its turn. Empty: unknown. */
  watched: readonly string[] = [];
  /** How many claims were before it in the queue at the last check. */
  place = 1;
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  /** @param former An earlier session may have left a node of the claim. */
  constructor(claim: Claim, session: Session, former: boolean) {
    this.claim = claim;
    this.session = session;
    this.former = former;
  }

  /** Its caller waits to be woken. */
  get waits(): boolean {
    return this.#wake !== undefined;
  }

  /** Updates the claim from its caller, unless a node exists for an earlier version. */
  restate(claim: Claim): void {
    if (this.node === undefined && !this.uncertain) this.claim = claim;
  }

  /** Its node now corresponds to `claim`. */
  converted(claim: Claim): void {
    this.claim = claim;
  }

  /** A request that creates or changes its node is about to be sent. */
  requestNode(): void {
    this.uncertain = true;
  }

  /** The server has not executed the request. `doubtful`: it may have. */
  requestRefused(doubtful: boolean): void {
    this.uncertain = doubtful;
  }

  /** This is its node, for certain. */
  hasNode(node: OwnNode): void {
    this.node = node;
    this.uncertain = false;
  }

  /** It has no node, for certain, and so it does not hold. */
  hasNoNode(): void {
    this.node = undefined;
    this.uncertain = false;
    this.token = undefined;
  }

  /** The known node may be wrong: it must be searched. */
  doubtNode(): void {
    this.node = undefined;
    this.uncertain = true;
  }

  /** The node at `path` was written by the transaction `zxid`. */
  written(path: string, zxid: bigint): void {
    if (this.node?.path === path) this.node = { ...this.node, zxid };
  }

  /** The nodes of earlier sessions are gone. */
  formerRemoved(): void {
    this.former = false;
  }

  /** It holds with `token`, and its caller no longer waits. */
  hold(token: bigint): void {
    this.token = token;
    this.#wake = undefined;
  }

  /** Its token is now `token`, if it still holds. */
  raiseToken(token: bigint): void {
    if (this.token !== undefined) this.token = token;
  }

  /** It no longer holds. */
  endHold(): void {
    this.token = undefined;
  }

  /** Its caller waits from now on. The latest `wake` counts. */
  wakeBy(wake: () => void): void {
    this.#wake = wake;
  }

  wakeUp(): void {
    this.#wake?.();
  }

  /** Its caller is no longer woken. */
  stopWaiting(): void {
    this.#wake = undefined;
    this.unwatch();
  }

  /** Wakes its caller soon, for the last time. */
  wakeForEnd(): void {
    if (this.#wake !== undefined) queueMicrotask(this.#wake);
    this.#wake = undefined;
  }

  /**
   * Waits for the end of one of `paths`, and of no other node. `place`: how many claims are before
   * it. `missing`: one of them has gone already. `refused`: there are too many watches.
   */
  async watch(paths: readonly string[], place: number): Promise<'watching' | 'missing' | 'refused'> {
    this.unwatch();
    this.place = place;
    this.watched = paths;
    try {
      const answers = await Promise.all(paths.map((path) => this.session.watch(path, this.#fired)));
      const failed = answers.find((answer) => answer !== 'watching');
      if (failed !== undefined) this.unwatch();
      return failed ?? 'watching';
    } catch (error) {
      this.unwatch();
      throw error;
    }
  }

  unwatch(): void {
    const paths = this.watched;
    this.watched = [];
    for (const path of paths) this.session.unwatch(path, this.#fired);
  }

  /**
   * The result of `work`, which begins when earlier work of this claim has ended. An attempt may
   * continue after its caller has given up.
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#running === 0 ? work() : this.#last.then(work, work);
    this.#running += 1;
    const settled = (): void => void (this.#running -= 1);
    this.#last = result.then(settled, settled);
    return result;
  }

  readonly #fired = (): void => {
    this.unwatch();
    this.wakeUp();
  };
}
