import { TransactionOpen } from '../transaction-open.ts';

/** What is used of a connection of mysql2, as knex lends it: its interface of callbacks. */
export interface MysqlConnection {
  execute(
    options: ExecuteOptions,
    values: readonly Value[],
    done: (error: Error | null, answer: unknown) => void,
  ): unknown;
  destroy(): void;
  readonly stream?: { destroy(): unknown } | undefined;
}

/** Numbers go as decimal text and bytes as hexadecimal: neither the options of the connection nor its character set matter to these. */
export type Value = string | null;

/** Whatever the pool's owner has chosen for his own statements. */
interface ExecuteOptions {
  readonly sql: string;
  readonly typeCast: true;
  readonly rowsAsArray: false;
  readonly nestTables: false;
}

/** A row of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** What a statement without rows is answered with. */
interface Header {
  readonly insertId: number | string;
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

/** As a prepared statement, which mysql2 keeps for each connection. */
function execute(connection: MysqlConnection, sql: string, values: readonly Value[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.execute({ sql, typeCast: true, rowsAsArray: false, nestTables: false }, values, (error, answer) => {
      if (error === null) resolve(answer);
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
