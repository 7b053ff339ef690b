import { systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { expect, onTestFinished, test } from 'vitest';
import { createDialect } from '../../src/sqlite/dialect.ts';
import type { Dialect } from '../../src/dialect.ts';
import type { Database } from '../../src/sqlite/database.ts';
import { connect } from '../support/databases.ts';
import type { KnexClient } from '../../src/knex.ts';
import { ownFile } from './support/own.ts';
import type { TestFile } from './support/file.ts';

/** A dialect whose wall clock is so many ms off. */
async function dialectOf(file: TestFile, skew = 0): Promise<{ dialect: Dialect<Database>; connection: Database }> {
  const { clock } = systemRuntime;
  const runtime: Runtime = {
    ...systemRuntime,
    clock: { origin: clock.origin + skew, now: () => clock.now(), exact: () => clock.exact() },
  };
  const client = connect(file.url).client as KnexClient;
  const names = { table: 'locks', schema: undefined };
  const rest = { fair: true, waiterTtl: 6_000, timeout: 5_000, listen: false, process: 'me', runtime };
  const dialect = createDialect(client, { names, ...rest });
  const connection = (await client.acquireConnection()) as Database;
  onTestFinished(() => void client.releaseConnection(connection));
  await dialect.greet(connection);
  return { dialect, connection };
}

const claim = (key: string, owner: string, ttl = 5_000) => ({ key, owner, ttl, mode: 'exclusive' }) as const;

function countOf({ observer }: TestFile): number {
  return (observer.prepare('SELECT count(*) AS found FROM "locks"').all()[0] as { found: number }).found;
}

test('a sweep removes what is idle for longer than the retention, a stretch at a time, and nothing else', async () => {
  const file = ownFile();
  const { dialect, connection } = await dialectOf(file);
  const insert = file.observer.prepare('INSERT INTO "locks" (key, version, touched) VALUES (?, ?, 0)');
  file.observer.exec('BEGIN');
  for (let index = 0; index < 5_000; index += 1) insert.run([`idle ${index}`, 1_000 + index]);
  file.observer.exec('COMMIT');
  await dialect.acquireFree(connection, claim('held', 'me/1'));
  await dialect.attempt(connection, claim('held', 'me/2'), { process: 'me', others: [] });
  await dialect.acquireFree(connection, claim('released', 'me/3'));
  await dialect.release(connection, claim('released', 'me/3'));
  expect(await dialect.sweep(connection, 60_000, 500)).toBe(500);
  expect(await dialect.sweep(connection, 60_000, 10_000)).toBe(4_500);
  expect(await dialect.sweep(connection, 60_000, 10_000)).toBe(0);
  expect(file.observer.prepare('SELECT key FROM "locks" ORDER BY key').all()).toEqual([
    { key: 'held' },
    { key: 'released' },
  ]);
  expect(await dialect.inspect(connection, 'held')).toMatchObject({ holders: [{ owner: 'me/1' }], waiters: 1 });
});

test('tokens of a swept key do not go back, though the clock of the next process is far behind', async () => {
  const file = ownFile();
  const hour = 3_600_000;
  const ahead = await dialectOf(file, 5 * hour);
  const token = await ahead.dialect.acquireFree(ahead.connection, claim('job', 'me/1'));
  await ahead.dialect.release(ahead.connection, claim('job', 'me/1'));
  const later = await dialectOf(file, 7 * hour);
  expect(await later.dialect.sweep(later.connection, hour, 10)).toBe(1);
  expect(countOf(file)).toBe(0);
  const behind = await dialectOf(file, -5 * hour);
  const next = await behind.dialect.acquireFree(behind.connection, claim('job', 'me/2'));
  expect(next).toBeGreaterThan(token!);
  await behind.dialect.release(behind.connection, claim('job', 'me/2'));
  const shared = await behind.dialect.attempt(
    behind.connection,
    { ...claim('another', 'me/3'), mode: 'shared' },
    undefined,
  );
  expect(shared.token).toBeGreaterThan(token!);
});
