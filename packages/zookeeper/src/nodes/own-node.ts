/** The node of a claim. */
export interface OwnNode {
  readonly path: string;
  /** The transaction that created it. */
  readonly czxid: bigint;
  /**
   * The transaction whose number is part of the claim's token. Among claims that exclude each other
   * these numbers follow the order of their turns.
   */
  readonly order: bigint;
  /** The transaction that last created or wrote it: the node was in the queue then. */
  readonly zxid: bigint;
  /** The base in its data when it was created. */
  readonly base: bigint | undefined;
}

/** For a node that this transaction created, and that was not written since. */
export function madeBy(czxid: bigint): Pick<OwnNode, 'czxid' | 'order' | 'zxid'> {
  return { czxid, order: czxid, zxid: czxid };
}
