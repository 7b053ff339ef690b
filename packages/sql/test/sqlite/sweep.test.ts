import { systemRuntime } from '@locks/core/adapter';
import { expect, onTestFinished, test } from 'vitest';
import { knexClient } from '../../src/clients/knex.ts';
import type { KnexInstance } from '../../src/clients/knex.ts';
import { sweep } from '../../src/index.ts';
import type { TextTable } from '../../src/dialect/stores/text-table.ts';
import type { Database } from '../../src/sqlite/connection/connection.ts';
import { hostTime } from '../../src/sqlite/host/clock.ts';
import { createTextTable } from '../../src/sqlite/text-table.ts';
import { connect } from '../support/databases.ts';
import type { TestFile } from './support/file.ts';
import { ownFile, party } from './support/own.ts';

async function tableOf(file: TestFile): Promise<{ table: TextTable<Database>; connection: Database }> {
  const client = knexClient(connect(file.url) as KnexInstance);
  const names = { table: 'locks', schema: undefined };
  const table = createTextTable(client, { names, timeout: 5_000, listen: false, runtime: systemRuntime });
  const connection = (await client.acquire()) as Database;
  onTestFinished(() => client.release(connection, false));
  await table.checkConnection(connection);
  return { table, connection };
}

const now = (): number => hostTime() / 1_000;

/** Adds so many texts, written at a time and to be kept for a minute. */
function addTexts({ observer }: TestFile, prefix: string, count: number, written: number): void {
  observer.exec(`WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${count})
    INSERT INTO "locks" SELECT 'key:${prefix}' || n, 'v', '[1,5,[],[],[],[]]', ${written}, 60000 FROM counter`);
}

function countOf({ observer }: TestFile): number {
  return (observer.prepare('SELECT count(*) AS found FROM "locks"').all()[0] as { found: number }).found;
}

test('a sweep removes texts that may go, after the retention, and nothing else', async () => {
  const file = ownFile();
  const { locks, provider } = await party(file);
  await provider.register?.('name', { from: undefined, to: 'kept' });
  await locks.acquire('held', { ttl: 5_000 });
  await (await locks.acquire('released')).release();
  addTexts(file, 'idle ', 700, now() - 61_000);
  addTexts(file, 'kept ', 5, now() - 59_000);
  const { table, connection } = await tableOf(file);
  expect(await table.sweep(connection, 2_000, 10_000, '')).toEqual({ removed: 0, next: undefined });
  const first = await table.sweep(connection, 0, 500, '');
  expect(first).toMatchObject({ next: expect.any(String) as string });
  const { removed } = await table.sweep(connection, 0, 10_000, first.next!);
  expect([first.removed + removed, countOf(file)]).toEqual([700, 8]);
  expect((await locks.inspect('held')).holders).toHaveLength(1);
  expect(await provider.register?.('name')).toBe('kept');
});

test('the token of a key that was swept does not go back', async () => {
  const file = ownFile();
  const { locks } = await party(file);
  const { token } = await locks.withLock('job', (lease) => lease);
  file.observer.exec(`UPDATE "locks" SET written = ${now() - 70_000}`);
  const { table, connection } = await tableOf(file);
  expect(await table.sweep(connection, 0, 10, '')).toEqual({ removed: 1, next: undefined });
  expect(await locks.withLock('job', (lease) => lease.token)).toBeGreaterThan(token);
});

test('a sweep lets the event loop turn after a few ms', async () => {
  const file = ownFile();
  addTexts(file, 'idle ', 50_000, now() - 4_000_000);
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

test('a sweep reaches old texts behind younger ones, by steps that each look at few rows', async () => {
  const file = ownFile();
  const { table, connection } = await tableOf(file);
  addTexts(file, 'a young ', 5_000, now());
  addTexts(file, 'z old ', 700, now() - 100_000);
  const removed: number[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const step = await table.sweep(connection, 0, 500, after);
    removed.push(step.removed);
    after = step.next;
  }
  expect(removed).toEqual([...Array.from({ length: 10 }, () => 0), 500, 200]);
  expect(countOf(file)).toBe(5_000);
});
