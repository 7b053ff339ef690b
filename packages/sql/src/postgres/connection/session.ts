import { createHash } from 'node:crypto';
import type { Reply, PgConnection, Query, Value } from './connection.ts';
import { TransactionOpen } from '../../dialect/errors/transaction-open.ts';
import { inTransaction } from '../../dialect/layout/transaction.ts';
import { stateOf } from './errors.ts';
import { isInTransaction } from './transaction-status.ts';

/** One statement, as sent over every connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Names a statement by its text: another version of this package may have prepared a different one
 * on the same connection.
 */
export function statement(name: string, text: string): Statement {
  return { name: `locks:${name}:${createHash('sha256').update(text).digest('hex').slice(0, 10)}`, text };
}

/**
 * The server's answers to the name of a prepared statement that it does not know, knows already, or
 * whose tables have changed.
 */
const notPrepared = new Set(['26000', '42P05', '0A000']);

/** Values in the server's format, whatever parsers an application has set. */
export const asText: Query['types'] = { getTypeParser: () => (text: unknown) => text };

/**
 * Sends statements over connections of the caller's pool. It changes only prepared statements
 * there.
 */
export class Sessions {
  readonly #begin: string;
  /** A pooler or a DISCARD drops prepared statements. */
  readonly #unnamed = new WeakSet<PgConnection>();
  /** Their default isolation level differs from what the statements require. */
  readonly #enclosed = new WeakSet<PgConnection>();

  /** The server ends an idle open transaction after `timeout` ms. */
  constructor(timeout: number) {
    this.#begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(timeout)}`;
  }

  /** From now on, each statement over `connection` gets its own READ COMMITTED transaction. */
  enclose(connection: PgConnection): void {
    this.#enclosed.add(connection);
  }

  encloses(connection: PgConnection): boolean {
    return this.#enclosed.has(connection);
  }

  /**
   * The rows, as arrays of texts.
   * @throws `TransactionOpen` if a transaction was left open: the connection must be discarded.
   */
  async send(connection: PgConnection, what: Statement, values: readonly Value[]): Promise<Reply['rows']> {
    checkIdle(connection, false);
    const run = async (sql: string): Promise<void> => void (await connection.query(sql));
    const rows = await (this.#enclosed.has(connection)
      ? inTransaction({ run }, this.#begin, () => this.#sendOne(connection, what, values))
      : this.#sendOne(connection, what, values));
    // A BEGIN may have been in flight when its user returned the connection.
    checkIdle(connection, true);
    return rows;
  }

  async #sendOne(connection: PgConnection, what: Statement, values: readonly Value[]): Promise<Reply['rows']> {
    const { name, text } = what;
    const unnamed = async (): Promise<Reply['rows']> =>
      (await connection.query({ text, values, rowMode: 'array', types: asText })).rows;
    if (this.#unnamed.has(connection)) return await unnamed();
    try {
      return (await connection.query({ name, text, values, rowMode: 'array', types: asText })).rows;
    } catch (error) {
      if (!notPrepared.has(stateOf(error) ?? '')) throw error;
      this.#unnamed.add(connection);
      // After an error, a transaction accepts no more statements.
      if (this.#enclosed.has(connection)) throw error;
      return await unnamed();
    }
  }
}

function checkIdle(connection: PgConnection, sent: boolean): void {
  if (isInTransaction(connection)) throw new TransactionOpen(sent);
}
