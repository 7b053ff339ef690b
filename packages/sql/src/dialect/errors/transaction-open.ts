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
  'Look for code that gives a connection back without COMMIT or ROLLBACK; give @locks/sql a pool whose connections are outside of transactions.';
