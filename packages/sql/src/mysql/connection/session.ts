import { TransactionOpen } from '../../dialect/errors/transaction-open.ts';
import type { MysqlConnection, Row, Value } from './connection.ts';

/** What a statement without rows is answered with. */
interface Header {
  readonly insertId: number | string;
  readonly affectedRows: number;
  /** Bit 0: a transaction is open. */
  readonly serverStatus: number;
}

/** The rows of a query, or the first ones of a procedure. */
export async function rowsOf(
  connection: MysqlConnection,
  sql: string,
  values: readonly Value[],
): Promise<readonly Row[]> {
  const answer = (await execute(connection, sql, values)) as readonly unknown[];
  return (Array.isArray(answer[0]) ? answer[0] : answer) as readonly Row[];
}

/** The number that a statement leaves by LAST_INSERT_ID; 0: it changed no row. */
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

/** Whether the server has ended `connection`, as far as is known. */
export function isOver({ stream }: MysqlConnection): boolean {
  return stream?.readable === false;
}

/** Ends `connection` now. */
export function discard(connection: MysqlConnection): void {
  connection.destroy();
  // The former only says goodbye, and would wait for a server that does not answer.
  connection.stream?.destroy();
}

/** As a prepared statement, which mysql2 keeps for each connection. */
function execute(connection: MysqlConnection, sql: string, values: readonly Value[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.execute({ sql, typeCast: true, rowsAsArray: false, nestTables: false }, values, (error, answer) => {
      if (error === null) resolve(answer);
      else reject(error);
    });
  });
}

/**
 * The rows of a query with the protocol of texts: one round trip less than a prepared statement
 * takes the first time.
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

/** A name, which may have any character. */
export function nameOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString() : String(value);
}

/** Text of a column that may come as bytes. */
export function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}
