import { createRecordProvider } from '@locks/core/adapter';
import { Pool } from 'pg';

/** The statement that creates the table. */
export const table =
  'CREATE TABLE IF NOT EXISTS records (key text COLLATE "C" PRIMARY KEY, version text NOT NULL, record text NOT NULL)';

// The time at which the statement came, so not after the text.
const read = `SELECT records.version, records.record, extract(epoch FROM statement_timestamp()) * 1000 AS now
  FROM (SELECT $1 AS key) AS wanted LEFT JOIN records USING (key)`;
const insert = 'INSERT INTO records VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
const update = 'UPDATE records SET version = $2, record = $3 WHERE key = $1 AND version = $4';
const list = 'SELECT key FROM records WHERE starts_with(key, $1)';

/** Locks in a Postgres table of three columns, by polling. */
export function create({ url, ...options }) {
  // A statement that comes too late must have no effect: core has given its answer by then.
  const pool = new Pool({ connectionString: url, max: 4, query_timeout: options.timeout });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return createRecordProvider(
    {
      name: 'postgres records',
      scope: 'network',
      async read(key) {
        const { rows } = await pool.query(read, [key]);
        const { version, record, now } = rows[0];
        return { version: version ?? undefined, record: record ?? undefined, now: Number(now) };
      },
      async replace(key, seen, { version, record }) {
        const values = [key, version, record];
        const { rowCount } = await (seen === undefined
          ? pool.query(insert, values)
          : pool.query(update, [...values, seen]));
        return rowCount === 1;
      },
      async *list(prefix) {
        const { rows } = await pool.query(list, [prefix]);
        for (const { key } of rows) yield key;
      },
      async time() {
        const { rows } = await pool.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
        return Number(rows[0].now);
      },
      async close() {
        await pool.end();
      },
    },
    options,
  );
}
