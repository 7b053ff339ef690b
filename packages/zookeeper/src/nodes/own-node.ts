/** The node of a claim. */
export interface OwnNode {
  readonly path: string;
  /** The transaction that made it. */
  readonly czxid: bigint;
  /**
   * The transaction whose number goes into the claim's token. Claims that exclude each other have
   * these numbers in the order of their turns.
   */
  readonly order: bigint;
  /** The transaction that made it or wrote it last: the node was in the queue then. */
  readonly zxid: bigint;
  /** The base that its data named when it was made. */
  readonly base: bigint | undefined;
}

/** Of a node that this transaction made, and that was not written since. */
export function madeBy(czxid: bigint): Pick<OwnNode, 'czxid' | 'order' | 'zxid'> {
  return { czxid, order: czxid, zxid: czxid };
}
