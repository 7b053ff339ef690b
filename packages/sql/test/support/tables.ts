import type { Knex } from 'knex';
import { rowsOf } from './databases.ts';

/** The schema of a connection, as its database says it. SQLite has none. */
const ownSchema: Readonly<Record<string, string>> = { pg: 'current_schema()', mysql2: 'DATABASE()' };

const ownSchemaOf = (knex: Knex): string | undefined =>
  ownSchema[(knex.client as { readonly driverName: string }).driverName];

/** The names of the tables of a schema, or of the connection's own, in alphabetical order. */
export async function tablesOf(knex: Knex, schema: string | null = null): Promise<readonly unknown[]> {
  const own = ownSchemaOf(knex);
  const rows = await rowsOf(
    own === undefined
      ? knex.raw(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
      : knex.raw(
          `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = COALESCE(?, ${own}) ORDER BY name`,
          [schema],
        ),
  );
  return rows.map(({ name }) => name);
}

/** The names of the routines that begin with `locks`. */
export async function routinesOf(knex: Knex): Promise<readonly unknown[]> {
  const own = ownSchemaOf(knex);
  if (own === undefined) return [];
  const sql = `SELECT routine_name AS name FROM information_schema.routines WHERE routine_schema = ${own} AND routine_name LIKE 'locks%'`;
  return (await rowsOf(knex.raw(sql))).map(({ name }) => name);
}
