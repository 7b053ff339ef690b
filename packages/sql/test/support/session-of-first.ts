import { eventually } from '@locks/test-servers';
import type { Knex } from 'knex';
import { rowsOf } from './databases.ts';
import type { Database } from './databases.ts';

/** The session by which others see that the first in the queue of "job" lasts; 0 for none. */
export async function sessionOfFirst({ name }: Database, knex: Knex, process?: string): Promise<number> {
  const lock = `locks_${process ?? (await processIn(knex))}`;
  const holder =
    name === 'Postgres'
      ? "SELECT pid AS id FROM pg_locks WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = hashtextextended(?, 0)"
      : 'SELECT IS_USED_LOCK(?) AS id';
  return Number((await rowsOf(knex.raw(holder, [lock])))[0]?.['id'] ?? 0);
}

async function processIn(knex: Knex): Promise<string> {
  const [first] = await rowsOf(knex('locks_queue').where('key', Buffer.from('job')).orderBy('place').limit(1));
  return String(first?.['process']);
}

/** Ends it, and gives what it was. */
export async function endSessionOfFirst(database: Database, knex: Knex): Promise<number> {
  const process = await processIn(knex);
  const session = await eventually('a session', () => sessionOfFirst(database, knex, process));
  await knex.raw(database.name === 'Postgres' ? 'SELECT pg_terminate_backend(?)' : 'KILL ?', [session]);
  await eventually('its end', async () => (await sessionOfFirst(database, knex, process)) !== session);
  return session;
}
