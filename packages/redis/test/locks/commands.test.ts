import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { startRedis } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { initialise } from '../../src/index.ts';
import { connect, eventually, ownPrefix } from '../support/redis.ts';
import { locksOver, stopAfterTest } from '../support/over.ts';

/** A server with no other client. */
async function ownServer(): Promise<string> {
  const server = await stopAfterTest(startRedis());
  return server.url;
}

/** How often each command was called, those of clients apart from those that scripts called. */
async function commandCounts(client: Redis): Promise<{ readonly client: number; readonly inner: number }> {
  const stats = [...(await client.info('commandstats')).matchAll(/cmdstat_(\S+?):calls=(\d+)/g)];
  const sum = (ofClients: boolean): number =>
    stats
      .filter(([, name]) => ['eval', 'evalsha', 'ping', 'subscribe'].includes(name ?? '') === ofClients)
      .filter(([, name]) => !/^(info|config|client|hello|select|quit)/.test(name ?? ''))
      .reduce((total, [, , calls]) => total + Number(calls), 0);
  return { client: sum(true), inner: sum(false) };
}

test.each([
  // INFO, of which there is one for each acquire, is not counted among them.
  ['7 inner ones', 7, {}],
  ['8 with restartGuard', 8, { restartGuard: 30_000 }],
])('an uncontended acquire and release take 2 client commands and %s', async (_, inner, options) => {
  const client = connect({}, await ownServer());
  await initialise(client);
  const locks = locksOver(client, options);
  await (await locks.acquire('warm')).release();
  await client.config('RESETSTAT');
  const pairs = 200;
  for (let pair = 0; pair < pairs; pair += 1) await (await locks.acquire(`key-${pair % 7}`)).release();
  const counts = await commandCounts(client);
  expect(counts.client / pairs).toBe(2);
  expect(counts.inner / pairs).toBeLessThanOrEqual(inner);
  const [, asked] = /cmdstat_info:calls=(\d+),/.exec(await client.info('commandstats')) ?? [];
  expect(Number(asked)).toBe(1 + ('restartGuard' in options ? pairs : 0));
});

test('a process whose locks are always free opens no second connection', async () => {
  const client = connect({}, await ownServer());
  const locks = locksOver(client);
  for (const key of ['a', 'b', 'c']) await (await locks.acquire(key)).release();
  expect(await client.info('clients')).toContain('connected_clients:1');
});

test('with 200 waiters in two processes an acquisition takes at most 2.04 client commands, in the order of tokens', async () => {
  const url = await ownServer();
  const client = connect({}, url);
  const task = { url, prefix: ownPrefix(), key: 'hot', workers: 100, rounds: 20 };
  const module = new URL('../support/contender.mjs', import.meta.url);
  const processes = [1, 2].map(() => fork(module, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  onTestFinished(() => processes.forEach((child) => child.kill('SIGKILL')));
  await Promise.all(processes.map((child) => once(child, 'message')));
  await client.config('RESETSTAT');
  const results = processes.map((child) => once(child, 'message'));
  for (const child of processes) child.send(task);
  const tokens = (await Promise.all(results)).flatMap(([answer]) => {
    const { tokens: own } = answer as { readonly tokens: readonly string[] };
    expect(own).toEqual(own.toSorted());
    return own;
  });
  const acquisitions = 2 * task.workers * task.rounds;
  expect(new Set(tokens).size).toBe(acquisitions);
  const perAcquisition = (await commandCounts(client)).client / acquisitions;
  console.log(`client commands per acquisition, 200 waiters, 2 processes: ${perAcquisition.toFixed(3)}`);
  expect(perAcquisition).toBeLessThanOrEqual(2.04);
});

test('200 waiters keep their places with a few commands among them, and their order', async () => {
  const client = connect({}, await ownServer());
  const refresh = 700;
  const locks = locksOver(client, { waiterTtl: 3 * refresh });
  const holder = await locks.acquire('hot');
  const served: number[] = [];
  const waiting: Promise<void>[] = [];
  const wait = (index: number): unknown => waiting.push(locks.withLock('hot', () => void served.push(index)));
  wait(0);
  // Without a subscription a claim has no position in the queue, and so no order.
  await eventually('the subscription', async () => (await locks.inspect('hot')).waiters === 1);
  for (let index = 1; index < 200; index += 1) wait(index);
  await eventually('200 waiters', async () => (await locks.inspect('hot')).waiters === 200);
  // Once the subscription is there all waiters look again.
  await eventually('no waiter to look again', async () => {
    const before = (await commandCounts(client)).client;
    await setTimeout(100);
    return (await commandCounts(client)).client - before < 10;
  });
  await client.config('RESETSTAT');
  const start = performance.now();
  // Longer than a place lasts without a sign of life.
  while (performance.now() - start < 4 * refresh) {
    expect((await locks.inspect('hot')).waiters).toBe(200);
    await setTimeout(refresh / 2);
  }
  const inspections = Math.ceil((performance.now() - start) / (refresh / 2));
  const perRefresh = ((await commandCounts(client)).client - inspections) / ((performance.now() - start) / refresh);
  console.log(`client commands that keep 200 places, each time they are due: ${perRefresh.toFixed(1)}`);
  // One by one it would be 200.
  expect(perRefresh).toBeLessThan(50);
  await holder.release();
  await Promise.all(waiting);
  expect(served).toEqual(served.toSorted((a, b) => a - b));
});
