import { startPostgres } from '@locks/test-servers';
import { Client } from 'pg';
import { sleep } from '../measure/clock.ts';
import type { Database, Statements } from './database.ts';
import { severeLines } from './severe-lines.ts';
import { rawTable } from './subjects/raw-postgres.ts';

/**
 * Durable, as by default. One of the peers needs a connection for each lock, and one for each
 * wish for one.
 */
const settings = ['fsync=on', 'max_connections=400', 'shared_preload_libraries=pg_stat_statements'];

const statements = `SELECT coalesce(sum(calls), 0)::int AS count, coalesce(sum(total_exec_time), 0) * 1000 AS microseconds FROM pg_stat_statements
  WHERE toplevel AND query NOT LIKE '%pg_stat_%'`;
const others = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/**
 * A Postgres of its own, whose statements are counted by pg_stat_statements. `commitDelay`: what a
 * commit waits for before it goes to the disk, in ms.
 */
export async function openPostgres(commitDelay = 0): Promise<Database> {
  const slow = commitDelay === 0 ? [] : [`commit_delay=${commitDelay * 1_000}`, 'commit_siblings=0'];
  const args = [...settings, ...slow].flatMap((setting) => ['-c', setting]);
  const server = await startPostgres({ args });
  const control = new Client(server.url);
  try {
    await control.connect();
    await control.query(`CREATE EXTENSION IF NOT EXISTS pg_stat_statements; ${rawTable}`);
    const { rows } = await control.query<{ server_version: string }>('SHOW server_version');
    return {
      dialect: 'postgres',
      url: server.url,
      version: /^\S+/.exec(rows[0]?.server_version ?? '')?.[0] ?? 'unknown',
      async statements() {
        return (await control.query<Statements>(statements)).rows[0];
      },
      async resetStatements() {
        await control.query('SELECT pg_stat_statements_reset()');
      },
      severeLines: async () => severeLines('postgres', await server.log()).length,
      async quiet() {
        for (let tries = 0; tries < 500; tries += 1) {
          const { rows: counted } = await control.query<{ count: number }>(others);
          if (counted[0]?.count === 0) return;
          await sleep(10);
        }
        throw new Error('Postgres: connections of a crew that has ended are still there after 5 s');
      },
      async [Symbol.asyncDispose]() {
        await control.end();
        await server.stop();
      },
    };
  } catch (error) {
    await control.end();
    await server.stop();
    throw error;
  }
}
