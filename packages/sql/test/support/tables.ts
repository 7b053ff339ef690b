import type { Knex } from 'knex';
import { rowsOf } from './databases.ts';

const inSchema = (of: string): string => `FROM information_schema.${of} WHERE table_schema = COALESCE(?, `;

/** The names of the tables of a schema, or of the connection's own, in alphabetical order. */
export async function tablesOf(knex: Knex, schema: string | null = null): Promise<readonly unknown[]> {
  const rows = await rowsOf(
    {
      pg: () => knex.raw(`SELECT table_name AS name ${inSchema('tables')}current_schema()) ORDER BY name`, [schema]),
      mysql2: () => knex.raw(`SELECT table_name AS name ${inSchema('tables')}DATABASE()) ORDER BY name`, [schema]),
      'better-sqlite3': () => knex.raw(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`),
    }[driverOf(knex)](),
  );
  return rows.map(({ name }) => name);
}

/** The names of the routines that begin with `locks`. */
export async function routinesOf(knex: Knex): Promise<readonly unknown[]> {
  if (driverOf(knex) === 'better-sqlite3') return [];
  const own = driverOf(knex) === 'pg' ? 'current_schema()' : 'DATABASE()';
  const sql = `SELECT routine_name AS name FROM information_schema.routines WHERE routine_schema = ${own} AND routine_name LIKE 'locks%'`;
  return (await rowsOf(knex.raw(sql))).map(({ name }) => name);
}

/** The names and types of the columns of a table of the connection's own schema, in their order. */
export async function columnsOf(knex: Knex, table: string): Promise<readonly unknown[]> {
  const columns = (own: string): string =>
    `SELECT column_name AS name, data_type AS type ${inSchema('columns')}${own}) AND table_name = ? ORDER BY ordinal_position`;
  return await rowsOf(
    {
      pg: () => knex.raw(columns('current_schema()'), [null, table]),
      mysql2: () => knex.raw(columns('DATABASE()'), [null, table]),
      'better-sqlite3': () => knex.raw('SELECT name, type FROM pragma_table_info(?)', [table]),
    }[driverOf(knex)](),
  );
}

function driverOf(knex: Knex): 'pg' | 'mysql2' | 'better-sqlite3' {
  return (knex.client as { readonly driverName: 'pg' | 'mysql2' | 'better-sqlite3' }).driverName;
}
