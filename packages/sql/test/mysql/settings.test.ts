import type { Knex } from 'knex';
import { expect, onTestFinished, test } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import { connect, newDatabase } from '../support/databases.ts';
import { withClient, serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';

const server = await serverOfFile();

/** The part of a connection of mysql2 that is used. */
interface Connection {
  query(sql: string, done: (error: unknown) => void): void;
}

/** A knex whose connections have another syntax than the usual one. */
function openOracle(url: string): Knex {
  return connect(url, {
    pool: {
      min: 0,
      max: 3,
      afterCreate(connection: Connection, done: (error: unknown, connection: Connection) => void) {
        connection.query("SET SESSION sql_mode = 'ORACLE'", (error) => done(error, connection));
      },
    },
  });
}

test('sql_mode ORACLE: locks work, and a migration says what is in its way', async () => {
  await expect(migrateTables(openOracle(await newDatabase(server.url)))).rejects.toMatchObject(
    misconfigured('take ORACLE out of the sql_mode'),
  );
  const url = await ownTables(server);
  const { locks } = locksOver(openOracle(url));
  const lease = await locks.acquire('job');
  const waiting = locks.acquire('job', { mode: 'shared', permits: 2 });
  expect(await locks.tryAcquire('job')).toBe(null);
  await lease.renew();
  await lease.release();
  await (await waiting).release();
});

test('max_prepared_stmt_count: the error says what to raise, and a lease outlasts it', async () => {
  const url = await ownTables(server);
  const { locks } = locksOver(connect(url, { pool: { min: 0, max: 1 } }));
  const lease = await locks.acquire('held');
  const limit = (count: number): Promise<unknown> =>
    withClient(url, (client) => client.query(`SET GLOBAL max_prepared_stmt_count = ${count}`));
  await limit(0);
  onTestFinished(async () => void (await limit(16_382)));
  await expect(locksOver(openOracle(url)).locks.tryAcquire('job')).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { sent: false, message: expect.stringContaining('Raise max_prepared_stmt_count') as string },
  });
  await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(lease.held).toBe(true);
  await limit(16_382);
  await lease.renew();
});
