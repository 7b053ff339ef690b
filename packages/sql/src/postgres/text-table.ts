import type { SqlClient } from '../dialect/pools/client.ts';
import { listedKeys } from '../dialect/stores/listed-keys.ts';
import { checkColumns } from '../dialect/layout/check-columns.ts';
import type { TextTable, TextTableKind, TextTableOptions } from '../dialect/stores/text-table.ts';
import { end } from './connection/cancel.ts';
import { checkServer, hidden } from './check-connection.ts';
import type { ConnectionFacts } from './check-connection.ts';
import type { PgConnection, PgSession } from './connection/connection.ts';
import { bytes } from './encoding.ts';
import { explain } from './connection/errors.ts';
import { openListener } from './listen.ts';
import { TableStatements } from './prepared-statements.ts';
import { statements as routineStatements } from './statements.ts';
import { statements as textStatements } from './texts-statements.ts';

const statements = { ...textStatements, time: routineStatements.time };

export const texts: TextTableKind = {
  createTable,
  instead: {
    create: textStatements.table,
    async columnsOf(session) {
      const [row] = await session.rows(textStatements.checkConnection);
      return (row?.['columns'] ?? undefined) as string | undefined;
    },
  },
};

function createTable(client: SqlClient, { names, timeout, listen, runtime }: TextTableOptions): TextTable {
  const process = runtime.uniqueId();
  const prepared = new TableStatements(statements, names, timeout);

  async function check(connection: PgConnection): Promise<ConnectionFacts> {
    const [row = []] = await prepared.askAsConfigured(connection, 'checkConnection');
    const [home, found] = row.slice(5);
    const facts = checkServer(row, () => checkColumns(found ?? undefined, names, hidden));
    if (names.schema === undefined) prepared.schema.found(home ?? undefined);
    return facts;
  }

  const table: TextTable<PgConnection> = {
    process,
    checkConnection: (connection) => prepared.check(connection, () => check(connection)),
    async read(connection, key) {
      const [[version, record, now] = []] = await prepared.ask(connection, 'read', bytes(key));
      return { version: version ?? undefined, record: record ?? undefined, now: Number(now) };
    },
    async replace(connection, { key, seen, next, wakes }) {
      const { version, record, keepFor = null } = next;
      const values = [bytes(key), version, record, keepFor, prepared.limitOf(connection), wakes] as const;
      const [row] = await (seen === undefined
        ? prepared.ask(connection, 'insert', ...values)
        : prepared.ask(connection, 'update', ...values, seen));
      return row?.[0] === '1';
    },
    list: (...args) => prepared.list(...args),
    ...(listen && {
      listening: {
        async listen(heard, lost) {
          // The message of a wake is its key, in hexadecimal.
          const hear = (payload: string): void => heard(listedKeys([payload], 2).keys[0]);
          const subscribe = (opened: PgSession): Promise<unknown> => opened.query(`LISTEN "locks_${process}"`);
          const connection = await openListener(client, hear, lost, subscribe);
          return () => end(connection);
        },
        echo: (connection) => prepared.ask(connection, 'echo', process),
        unheard: 'a pooler lends connections for each transaction; set option "listen" to false',
      },
    }),
    time: (connection) => prepared.time(connection),
    sweep: (...args) => prepared.sweep(...args),
    explain,
  };
  return table;
}
