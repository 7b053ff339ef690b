/**
 * The connection that the pool lent is in a transaction. A statement over it takes effect when the
 * transaction's owner decides.
 */
export class TransactionOpen extends Error {
  /**
   * A statement of ours that may change something went over the connection: whether it takes effect
   * is unknown.
   */
  readonly sent: boolean;

  constructor(sent: boolean) {
    super('the connection is in a transaction that its user has not ended');
    this.sent = sent;
  }
}

/** What its user can do, for messages. */
export const endTransactions =
  'Look for code that gives a connection back without COMMIT or ROLLBACK; give @locks/sql a pool whose connections are outside of transactions.';
