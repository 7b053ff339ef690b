import { setTimeout as sleep } from 'node:timers/promises';
import { combine } from '@locks/composites';
import { createLocks, isLockError } from '@locks/core';
import type { Lease, LockProvider, Locks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider, initialise } from '../../src/index.ts';
import { claimOf } from '../support/queue.ts';
import { eventually, ownPrefix } from '../support/redis.ts';

/** How long the lease is held, in ms: ten minutes in the weekly matrix. */
const [duration, ttl] = process.env['LOCKS_QUORUM'] === 'long' ? [600_000, 10_000] : [16_000, 3_000];

const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

const options = { prefix: ownPrefix(), timeout: 1_000, restartGuard: ttl };

/** A composite as each process makes it. */
function open(): LockProvider {
  const clients = servers.map(({ url }) => new Redis(url).on('error', () => {}));
  const provider = combine(
    clients.map((client) => createRedisProvider(client, options)),
    // Three hundred calls at once take their time where other tests run beside them.
    { memberTimeout: 800 },
  );
  onTestFinished(async () => {
    await provider.close();
    for (const client of clients) client.disconnect();
  });
  return provider;
}

/** A claim that waits for `job`, and gets it when `isOver`. */
async function waitFor(locks: Locks, isOver: () => boolean): Promise<void> {
  const lease = await locks.acquire('job', { wait: 120_000 });
  expect(isOver()).toBe(true);
  await lease.release();
}

/** Claims that wait for `job` for a while, one after the other, until `isOver`. */
async function comeAndGo(locks: Locks, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const lease = await locks.acquire('job', { wait: 200 + 3_000 * Math.random() }).catch((error: unknown) => {
      if (!isLockError(error)) throw error;
    });
    expect(lease === undefined || isOver()).toBe(true);
    await lease?.release();
  }
}

/** How many servers have a vote of `lease`. */
async function votesOf({ key, owner }: Lease, observers: readonly Redis[]): Promise<number> {
  const values = await Promise.all(observers.map((observer) => observer.get(`${options.prefix}${key}`)));
  return values.filter((value) => value?.startsWith(`${owner}~`)).length;
}

test(
  'a lease is held while all three servers come back empty, one after the other, under callers and 300 waiters',
  { timeout: duration + 60_000 },
  async () => {
    const observers = servers.map(({ url }) => new Redis(url).on('error', () => {}));
    onTestFinished(() => observers.forEach((observer) => observer.disconnect()));
    for (const observer of observers) await initialise(observer, { prefix: options.prefix });
    const locks = createLocks(open(), { ttl });
    onTestFinished(() => locks.close());
    const other = open();
    const lease = await locks.acquire('job');
    let over = false;
    // Else callers would go on for ever after a failure.
    onTestFinished(() => void (over = true));
    const intruder = (async () => {
      while (!over) {
        const answer = await other.tryAcquire(claimOf({ ttl })).catch((error: unknown) => {
          // While a server grants nothing, and another one is asked for its vote.
          if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
          return { granted: false };
        });
        expect(answer.granted).toBe(false);
        await sleep(20);
      }
    })();
    const processes = [createLocks(open(), { ttl }), createLocks(open(), { ttl })];
    onTestFinished(async () => void (await Promise.all(processes.map((process) => process.close()))));
    const callers = Array.from({ length: 16 }, (_, index) => comeAndGo(processes[index % 2] as Locks, () => over));
    let restarts = 0;
    const restart = async (): Promise<void> => {
      const server = servers[restarts % 3];
      await server?.restart({ keepData: false });
      restarts += 1;
      expect(lease.held).toBe(true);
      await eventually(
        'the vote of the server that came back',
        async () => (await votesOf(lease, observers)) === 3,
        3 * ttl + 10_000,
      );
    };
    for (const until = performance.now() + duration; performance.now() < until || restarts < 3;) await restart();
    // The same with claims that stay.
    callers.push(...Array.from({ length: 300 }, (_, index) => waitFor(processes[index % 2] as Locks, () => over)));
    for (const last = restarts + 3; restarts < last;) await restart();
    over = true;
    await intruder;
    expect(restarts).toBeGreaterThanOrEqual(6);
    expect(lease.held).toBe(true);
    await lease.renew();
    expect(await lease.release()).toBe(true);
    await Promise.all(callers);
    const next = await locks.acquire('job', { wait: 10_000 });
    expect(next.token).toBeGreaterThan(lease.token);
    await next.release();
  },
);
