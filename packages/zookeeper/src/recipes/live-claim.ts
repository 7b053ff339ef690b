import type { Claim } from '@locks/core';
import type { Session } from '../session/session.ts';

/** The node of a claim. */
export interface OwnNode {
  readonly path: string;
  /** The transaction that made it. */
  readonly czxid: bigint;
  /** The transaction whose number goes into its token: of those that exclude each other it has the order of their turns. */
  readonly order: bigint;
  /** The one that made it or wrote it last: it was in line then. */
  readonly zxid: bigint;
  /** The base that its data named when it was made. */
  readonly base: bigint | undefined;
}

/** Of a node that this transaction made, and none has written since. */
export function madeBy(czxid: bigint): Pick<OwnNode, 'czxid' | 'order' | 'zxid'> {
  return { czxid, order: czxid, zxid: czxid };
}

/** One claim of this process in one session: its node, and what is known of it. */
export class LiveClaim {
  /** As its node stands for it. */
  claim: Claim;
  readonly session: Session;
  node: OwnNode | undefined = undefined;
  /** A node was asked for, and nobody knows whether it was made. */
  uncertain = false;
  /** A session before this one may have left a node of it. */
  former: boolean;
  /** It holds, with this token. */
  token: bigint | undefined = undefined;
  /** How many were before it in line when it looked last. */
  place = 1;
  /** What its caller waits with; the latest counts. */
  wake: (() => void) | undefined = undefined;
  /** The nodes of which one must go before it is this claim's turn. Empty: nothing is known, look again. */
  #watched: readonly string[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  constructor(claim: Claim, session: Session, former: boolean) {
    this.claim = claim;
    this.session = session;
    this.former = former;
  }

  /** The nodes that are waited for. */
  get watched(): readonly string[] {
    return this.#watched;
  }

  /** Waits for the end of one of `paths`, and of no other. `missing`: one has gone already. `refused`: there are too many watches. */
  async watch(paths: readonly string[]): Promise<'watching' | 'missing' | 'refused'> {
    this.unwatch();
    this.#watched = paths;
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
    const paths = this.#watched;
    this.#watched = [];
    for (const path of paths) this.session.unwatch(path, this.#fired);
  }

  /** What `work` resolves to, after whatever is under way for this claim: an attempt that its caller has given up goes on. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#running === 0 ? work() : this.#last.then(work, work);
    this.#running += 1;
    const settled = (): void => void (this.#running -= 1);
    this.#last = result.then(settled, settled);
    return result;
  }

  readonly #fired = (): void => {
    this.unwatch();
    this.wake?.();
  };
}
