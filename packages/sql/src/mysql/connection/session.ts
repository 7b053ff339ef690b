import { TransactionOpen } from '../../dialect/errors/transaction-open.ts';
import type { MysqlConnection, Row, Value } from './connection.ts';

/** The answer to a statement without rows. */
interface Header {
  readonly insertId: number | string;
  readonly affectedRows: number;
  /** Bit 0: a transaction is open. */
  readonly serverStatus: number;
}

/** The rows of a query, or the first result set of a procedure. */
export async function rowsOf(
  connection: MysqlConnection,
  sql: string,
  values: readonly Value[],
): Promise<readonly Row[]> {
  const answer = (await execute(connection, sql, values)) as readonly unknown[];
  return (Array.isArray(answer[0]) ? answer[0] : answer) as readonly Row[];
}

/** The LAST_INSERT_ID of a statement; 0: it changed no row. */
export async function changed(connection: MysqlConnection, sql: string, values: readonly Value[]): Promise<bigint> {
  const { insertId, serverStatus } = (await execute(connection, sql, values)) as Header;
  if ((serverStatus & 1) !== 0) throw new TransactionOpen(true);
  return BigInt(insertId);
}

/** How many rows a statement changed. */
export async function affected(connection: MysqlConnection, sql: string, values: readonly Value[]): Promise<number> {
  const { affectedRows, serverStatus } = (await execute(connection, sql, values)) as Header;
  if ((serverStatus & 1) !== 0) throw new TransactionOpen(true);
  return affectedRows;
}

/** Whether the server has closed `connection`, as far as known. */
export function isOver({ stream }: MysqlConnection): boolean {
  return stream?.readable === false;
}

/** Ends `connection` now. */
export function discard(connection: MysqlConnection): void {
  connection.destroy();
  // The former closes gracefully, and would wait for a silent server.
  connection.stream?.destroy();
}

/** As a prepared statement, which mysql2 caches per connection. */
function execute(connection: MysqlConnection, sql: string, values: readonly Value[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.execute({ sql, typeCast: true, rowsAsArray: false, nestTables: false }, values, (error, answer) => {
      if (error === null) resolve(answer);
      else reject(error);
    });
  });
}

/**
 * The rows of a query over the text protocol: one round trip less than the first execution of a
 * prepared statement.
 */
export function rowsOfText(
  connection: MysqlConnection,
  sql: string,
  values: readonly Value[] = [],
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    connection.query({ sql, values, typeCast: true, rowsAsArray: false, nestTables: false }, (error, answer) => {
      if (error === null) resolve(answer as readonly Row[]);
      else reject(error);
    });
  });
}

/** A name, which may contain any character. */
export function nameOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString() : String(value);
}

/** Text of a column that may be returned as bytes. */
export function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}
