import { systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { expect, onTestFinished, test } from 'vitest';
import { createStore } from '../../src/sqlite/store.ts';
import type { LockStore } from '../../src/dialect/stores/lock-store.ts';
import type { Database } from '../../src/sqlite/connection/connection.ts';
import { connect } from '../support/databases.ts';
import { knexClient } from '../../src/clients/knex.ts';
import type { KnexInstance } from '../../src/clients/knex.ts';
import { sweep } from '../../src/index.ts';
import { ownFile } from './support/own.ts';
import type { TestFile } from './support/file.ts';

/** A store whose wall clock is so many ms off. */
async function storeOf(file: TestFile, skew = 0): Promise<{ store: LockStore<Database>; connection: Database }> {
  const { clock } = systemRuntime;
  const runtime: Runtime = {
    ...systemRuntime,
    clock: { origin: clock.origin + skew, now: () => clock.now(), exact: () => clock.exact() },
  };
  const client = knexClient(connect(file.url) as KnexInstance);
  const names = { table: 'locks', schema: undefined };
  const rest = { waiterTtl: 6_000, timeout: 5_000, listen: false, process: 'me', runtime };
  const store = createStore(client, { names, ...rest });
  const connection = (await client.acquire()) as Database;
  onTestFinished(() => client.release(connection, false));
  await store.checkConnection(connection);
  return { store, connection };
}

const claim = (key: string, owner: string, ttl = 5_000) => ({ key, owner, ttl, mode: 'exclusive' }) as const;

function countOf({ observer }: TestFile): number {
  return (observer.prepare('SELECT count(*) AS found FROM "locks"').all()[0] as { found: number }).found;
}

test('a sweep removes what is idle for longer than the retention, a stretch at a time, and nothing else', async () => {
  const file = ownFile();
  const { store, connection } = await storeOf(file);
  const insert = file.observer.prepare('INSERT INTO "locks" (key, version, touched) VALUES (?, ?, 0)');
  file.observer.exec('BEGIN');
  for (let index = 0; index < 5_000; index += 1) insert.run([`idle ${index}`, 1_000 + index]);
  file.observer.exec('COMMIT');
  await store.acquireFree(connection, claim('held', 'me/1'));
  await store.attempt(connection, claim('held', 'me/2'), { process: 'me', others: [] }, false);
  await store.acquireFree(connection, claim('released', 'me/3'));
  await store.release(connection, claim('released', 'me/3'), false);
  // The first row is held.
  const first = await store.sweep(connection, 60_000, 500, '');
  expect(first).toMatchObject({ removed: 499, next: expect.any(String) as string });
  expect(await store.sweep(connection, 60_000, 10_000, first.next!)).toEqual({ removed: 4_501, next: undefined });
  expect(await store.sweep(connection, 60_000, 10_000, '')).toEqual({ removed: 0, next: undefined });
  expect(file.observer.prepare('SELECT key FROM "locks" ORDER BY key').all()).toEqual([
    { key: 'held' },
    { key: 'released' },
  ]);
  expect(await store.inspect(connection, 'held')).toMatchObject({ holders: [{ owner: 'me/1' }], waiters: 1 });
});

test('tokens of a swept key do not go back, though the clock of the next process is far behind', async () => {
  const file = ownFile();
  const hour = 3_600_000;
  const ahead = await storeOf(file, 5 * hour);
  const token = await ahead.store.acquireFree(ahead.connection, claim('job', 'me/1'));
  await ahead.store.release(ahead.connection, claim('job', 'me/1'), false);
  const later = await storeOf(file, 7 * hour);
  expect(await later.store.sweep(later.connection, hour, 10, '')).toEqual({ removed: 1, next: undefined });
  expect(countOf(file)).toBe(0);
  const behind = await storeOf(file, -5 * hour);
  const next = await behind.store.acquireFree(behind.connection, claim('job', 'me/2'));
  expect(next).toBeGreaterThan(token!);
  await behind.store.release(behind.connection, claim('job', 'me/2'), false);
  const shared = await behind.store.attempt(
    behind.connection,
    { ...claim('another', 'me/3'), mode: 'shared' },
    undefined,
    false,
  );
  expect(shared.token).toBeGreaterThan(token!);
});

/** Adds so many rows of idle keys, as if their last use were long ago, or yet to come. */
function addRows({ observer }: TestFile, prefix: string, count: number, version: number): void {
  const sql = `WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${count})
    INSERT INTO "locks" (key, version, touched) SELECT '${prefix}' || n, ${version}, 0 FROM counter`;
  observer.exec(sql);
}

test('a sweep lets the event loop turn after a few ms', async () => {
  const file = ownFile();
  addRows(file, 'idle ', 50_000, 1);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    // Until the end of the test.
    if (turns > 0) setImmediate(count);
  };
  setImmediate(count);
  expect(await sweep(connect(file.url))).toBe(50_000);
  expect(turns).toBeGreaterThan(90);
  turns = -Infinity;
});

test('a sweep reaches old rows behind younger ones, by steps that each look at few rows', async () => {
  const file = ownFile();
  const { store, connection } = await storeOf(file);
  addRows(file, 'a young ', 5_000, (systemRuntime.clock.origin + 3_600_000_000) * 1_000);
  addRows(file, 'z old ', 700, 1);
  const removed: number[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const step = await store.sweep(connection, 60_000, 500, after);
    removed.push(step.removed);
    after = step.next;
  }
  expect(removed).toEqual([...Array.from({ length: 10 }, () => 0), 500, 200]);
  expect(countOf(file)).toBe(5_000);
});
