import { rendered } from '../dialect/layout/names.ts';
import type { Row, SessionParts, SqlSession } from '../dialect/layout/sql-session.ts';
import type { Database } from './connection/connection.ts';

export function openSession({ connection, names, inTransaction }: SessionParts<Database>): SqlSession {
  return {
    names,
    inTransaction,
    async rows(sql, ...bindings) {
      const statement = connection.prepare(rendered(sql, names, '"'));
      if (statement.reader !== false) return statement.all(...bindings) as Row[];
      statement.run(...bindings);
      return [];
    },
    // libsql leaves a prepared statement open that found the file busy, and the next COMMIT fails.
    async run(sql) {
      connection.exec(rendered(sql, names, '"'));
    },
  };
}
