/**
 * The lent connection is in a transaction. A statement over it takes effect when the transaction's
 * owner commits.
 */
export class TransactionOpen extends Error {
  /** An own statement that may change something was sent: whether it takes effect is unknown. */
  readonly sent: boolean;

  constructor(sent: boolean) {
    super('the connection is in a transaction that its user has not ended');
    this.sent = sent;
  }
}

/** What the user can do, for messages. */
export const endTransactions =
  'Find the code that returns a connection to the pool without COMMIT or ROLLBACK, or pass @locks/sql a separate pool.';
