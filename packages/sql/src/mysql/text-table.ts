import { checkColumns } from '../dialect/layout/check-columns.ts';
import type { TextTable, TextTableKind, TextTableOptions } from '../dialect/stores/text-table.ts';
import type { SqlClient } from '../dialect/pools/client.ts';
import { checkServer } from './check-connection.ts';
import type { MysqlConnection, Row } from './connection/connection.ts';
import { affected, nameOf, rowsOfText, textOf } from './connection/session.ts';
import { hex, placesOf, powerOfTwo } from './encoding.ts';
import { explain } from './connection/errors.ts';
import { TableStatements, whole } from './prepared-statements.ts';
import { statements as routineStatements } from './statements.ts';
import { statements as textStatements } from './texts-statements.ts';

const { sweepStretch, time } = routineStatements;
const made = Object.entries({ ...textStatements, sweepStretch, time }).map(([name, text]) => [
  name,
  text.replaceAll('{now}', textStatements.now),
]);
const statements = Object.fromEntries(made) as Readonly<
  Record<keyof typeof textStatements | 'sweepStretch' | 'time', string>
>;

/** The table of texts in MariaDB and MySQL. Processes are not woken: they poll. */
export const texts: TextTableKind = {
  createTable: (_client: SqlClient, options: TextTableOptions) => createTable(options),
  instead: {
    create: textStatements.table,
    async columnsOf(session) {
      const { schema = null, table } = session.names;
      const [row] = await session.rows(textStatements.checkConnection, schema, table);
      return columnsIn(row);
    },
  },
};

function createTable({ names, timeout, runtime }: TextTableOptions): TextTable {
  const prepared = new TableStatements(statements, names, timeout);
  const table: TextTable<MysqlConnection> = {
    process: runtime.uniqueId(),
    async checkConnection(connection) {
      const [row = {}] = await rowsOfText(connection, prepared.text('checkConnection'), [
        names.schema ?? null,
        names.table,
      ]);
      checkServer(row);
      checkColumns(columnsIn(row), names);
      if (names.schema === undefined) prepared.schema.found(nameOf(row['home']));
    },
    async read(connection, key) {
      const [row = {}] = await prepared.rows(connection, 'read', [hex(key)]);
      const now = Number(textOf(row['now'])) / 1_000;
      return row['version'] === null
        ? { now }
        : { version: nameOf(row['version']), record: nameOf(row['record']), now };
    },
    async replace(connection, { key, seen, next }) {
      const { version, record, keepFor } = next;
      const keep = keepFor === undefined ? null : whole(keepFor);
      const changed = await (seen === undefined
        ? affected(connection, prepared.text('insert'), [hex(key), version, hex(record), keep])
        : affected(connection, prepared.text('update'), [
            version,
            hex(record),
            keep,
            hex(key),
            prepared.longestWait(),
            seen,
          ]));
      return changed > 0;
    },
    list: (...args) => prepared.list(...args),
    time: (connection) => prepared.time(connection),
    async sweep(connection, retention, limit, after) {
      const next = await prepared.endOfStretch(connection, after, limit);
      const ago = whole(Math.ceil(retention));
      const idle = await prepared.rows(connection, 'idle', [ago, after, next ?? null], { limit: whole(limit) });
      const keys = idle.map((row) => textOf(row['key']));
      if (keys.length === 0) return { removed: 0, next };
      const asked = powerOfTwo(keys);
      const removed = await affected(connection, prepared.text('remove', { keys: placesOf(asked) }), [ago, ...asked]);
      // This range may have more.
      return { removed, next: keys.length === limit ? after : next };
    },
    explain,
  };
  return table;
}

/** The columns in a row of `check-connection`. `undefined`: no table. */
function columnsIn(row: Row | undefined): string | undefined {
  const found = row?.['columns'] ?? undefined;
  return found === undefined ? undefined : nameOf(found);
}
