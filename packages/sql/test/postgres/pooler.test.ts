import { openLocks } from '@locks/core';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/waiting.ts';
import { startContender } from '../servers/contenders.ts';
import { createTables, ownDatabase, startServer, withClient } from './support/database.ts';
import { queueUp } from '../servers/parties.ts';
import { join } from './support/postgres.ts';
import { startPgbouncer } from './support/pgbouncer.ts';

const server = await startServer();
afterAll(() => server.stop());

test('behind pgbouncer, which lends a connection for each transaction, processes are served one at a time', async () => {
  const url = await ownDatabase(server);
  await createTables(url);
  const pooled = await startPgbouncer(url);
  const contenders = await Promise.all([startContender(), startContender(), startContender()]);
  const task = { key: 'hot', workers: 5, rounds: 6, ttl: 30_000 };
  // One of them is not behind it.
  const tokens = await Promise.all(
    contenders.map((each, index) =>
      each.contend(index === 0 ? { ...task, url } : { ...task, url: pooled, options: { listen: false } }),
    ),
  );
  for (const own of tokens) expect(own).toEqual(own.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(new Set(tokens.flat()).size).toBe(3 * 30);
  await withClient(url, async (client) => {
    const { rows } = await client.query('SELECT count(*)::integer AS n FROM locks_line');
    expect(rows).toEqual([{ n: 0 }]);
  });
});

test('behind pgbouncer a line keeps its order, by looking', async () => {
  const url = await ownDatabase(server);
  await createTables(url);
  const pooled = await startPgbouncer(url);
  const [holder, party] = [join(url), join(pooled, { listen: false, waiterTtl: 90_000 })];
  const lease = await holder.locks.acquire('job', { ttl: 60_000 });
  const queue = await queueUp(party.locks, 'job', 4);
  await lease.release();
  await queue.all;
  expect(queue.order).toEqual([0, 1, 2, 3]);
});

test('behind pgbouncer the pool of openLocks asks for nothing that cannot be lent', async () => {
  const url = await ownDatabase(server);
  await createTables(url);
  const locks = await openLocks({ url: await startPgbouncer(url), options: { listen: false } });
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job');
  const queue = await queueUp(locks, 'job', 2);
  await lease.renew();
  await lease.release();
  await queue.all;
  expect(queue.order).toEqual([0, 1]);
});

test('a process that listens though it is behind one hears nothing, and is served by its own polling', async () => {
  const url = await ownDatabase(server);
  await createTables(url);
  const pooled = await startPgbouncer(url);
  const [holder, party] = [join(url), join(pooled, { waiterTtl: 900 })];
  const lease = await holder.locks.acquire('job', { ttl: 60_000 });
  const next = party.locks.withLock('job', () => {});
  await eventually('a waiter', async () => (await party.locks.inspect('job')).waiters === 1);
  await lease.release();
  await next;
});
