import { rendered } from '../dialect/layout/names.ts';
import type { SessionParts, SqlSession } from '../dialect/layout/sql-session.ts';
import type { PgConnection, Value } from './connection/connection.ts';
import { asText } from './connection/session.ts';

/** A session over one connection of Postgres. All values of its rows are texts. */
export function openSession({ connection, names, inTransaction }: SessionParts<PgConnection>): SqlSession {
  return {
    names,
    inTransaction,
    async rows(sql, ...bindings) {
      const query = { text: numbered(rendered(sql, names, '"')), values: bindings as readonly Value[] };
      const { rows, fields = [] } = await connection.query({ ...query, rowMode: 'array', types: asText });
      return rows.map((row) => Object.fromEntries(fields.map(({ name }, index) => [name, row[index]])));
    },
    async run(sql) {
      await connection.query(rendered(sql, names, '"'));
    },
  };
}

/** The server needs a number for each binding. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
