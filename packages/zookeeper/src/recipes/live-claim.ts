import type { Claim } from '@locks/core';
import type { OwnNode } from '../nodes/own-node.ts';
import type { Session } from '../session/session.ts';

/**
 * One claim of this process in one session.
 *
 * A claim with a token holds. It has its node then, or the node is being looked for (`uncertain`).
 * The mode and permits of `claim` are those that its node stands for. Its methods alone change it.
 */
export class LiveClaim {
  readonly session: Session;
  claim: Claim;
  node: OwnNode | undefined = undefined;
  /** A request was sent that makes its node or changes it, and the result is unknown. */
  uncertain = false;
  /** A session before this one may have left a node of it. */
  former: boolean;
  /** The token that it holds with. */
  token: bigint | undefined = undefined;
  #wake: (() => void) | undefined = undefined;
  /** One of these nodes must go before it is this claim's turn. Empty: that is not known. */
  watched: readonly string[] = [];
  /** How many claims were before it in the queue at the last look. */
  place = 1;
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  /** @param former A session before this one may have left a node of the claim. */
  constructor(claim: Claim, session: Session, former: boolean) {
    this.claim = claim;
    this.session = session;
    this.former = former;
  }

  /** Its caller waits to be woken. */
  get waits(): boolean {
    return this.#wake !== undefined;
  }

  /** Takes the claim as its caller states it now, unless a node stands for an earlier statement. */
  restate(claim: Claim): void {
    if (this.node === undefined && !this.uncertain) this.claim = claim;
  }

  /** Its node now stands for `claim`. */
  converted(claim: Claim): void {
    this.claim = claim;
  }

  /** A request that makes its node or changes it is about to be sent. */
  requestNode(): void {
    this.uncertain = true;
  }

  /** The server has not done what was requested. `doubtful`: it may have. */
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

  /** The known node may be wrong: it must be looked for. */
  doubtNode(): void {
    this.node = undefined;
    this.uncertain = true;
  }

  /** The node at `path` was written by the transaction `zxid`. */
  written(path: string, zxid: bigint): void {
    if (this.node?.path === path) this.node = { ...this.node, zxid };
  }

  /** The nodes of former sessions are gone. */
  formerRemoved(): void {
    this.former = false;
  }

  /** It holds with `token`, and its caller does not wait any more. */
  hold(token: bigint): void {
    this.token = token;
    this.#wake = undefined;
  }

  /** Its token is now `token`, if it still holds. */
  raiseToken(token: bigint): void {
    if (this.token !== undefined) this.token = token;
  }

  /** It does not hold any more. */
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

  /** Its caller is not woken any more. */
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
   * The result of `work`, which begins when earlier work of this claim has ended. An attempt may go
   * on after its caller has given it up.
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
