import { rendered } from '../dialect/layout/names.ts';
import type { Row, SessionParts, SqlSession } from '../dialect/layout/sql-session.ts';
import type { MysqlConnection } from './connection/connection.ts';

export function openSession({ connection, names, inTransaction }: SessionParts<MysqlConnection>): SqlSession {
  let leftOpen: boolean | undefined;
  const send = (text: string, values: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const sql = rendered(text, names, '`');
      // The text protocol, as procedures cannot be created by a prepared statement.
      connection.query({ sql, values, typeCast: true, rowsAsArray: false, nestTables: false }, (error, answer) => {
        // The error contains the statement, with hundreds of lines, and values.
        if (error !== null && 'sql' in error) delete error.sql;
        if (error === null) resolve(answer);
        else reject(error);
      });
    });
  return {
    names,
    inTransaction,
    get leftOpen() {
      return leftOpen;
    },
    async rows(sql, ...bindings) {
      const answer = await send(sql, bindings);
      if (Array.isArray(answer)) return answer as readonly Row[];
      const { serverStatus } = answer as { readonly serverStatus: number };
      // Bit 0: a transaction is open. Bit 1: autocommit; without it each statement begins one.
      leftOpen = (serverStatus & 1) !== 0 || (serverStatus & 2) === 0;
      return [];
    },
    async run(sql) {
      await send(sql, []);
    },
  };
}
