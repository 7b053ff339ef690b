import { combine } from '@locks/composites';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import Redlock from 'redlock';
import { RedlockMutex } from 'redis-semaphore';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import type { ForeignLibrary } from '../../src/index.ts';
import { ownPrefix } from '../support/redis.ts';

const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
const clients = servers.map(({ url }) => new Redis(url));
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await Promise.all(servers.map((server) => server.stop()));
});

const ttl = 20_000;

/** A lock of another library. */
interface Foreign {
  /** `false`: busy. Asks once. */
  acquire(key: string): Promise<boolean>;
  release(): Promise<void>;
}

function redlock(): Foreign {
  const library = new Redlock(clients, { retryCount: 0 });
  // It tells of each busy answer as an error event, too.
  library.on('error', () => {});
  let held: { release(): Promise<unknown> } | undefined;
  return {
    async acquire(key) {
      held = await library.acquire([key], ttl).catch(() => undefined);
      return held !== undefined;
    },
    async release() {
      await held?.release();
    },
  };
}

function redlockMutex(): Foreign {
  let mutex: RedlockMutex | undefined;
  return {
    async acquire(key) {
      // It puts "mutex:" before the key.
      mutex = new RedlockMutex(clients, key.slice('mutex:'.length), { lockTimeout: ttl, acquireAttemptsLimit: 1 });
      return await mutex.tryAcquire();
    },
    async release() {
      await mutex?.release();
    },
  };
}

function ours(prefix: string, comingFrom?: ForeignLibrary): Locks {
  const members = clients.map((client) => createRedisProvider(client, { prefix, comingFrom }));
  const locks = createLocks(combine(members), {
    ttl,
    closeProvider: true,
  });
  onTestFinished(() => locks.close());
  return locks;
}

describe.each([
  ['redlock 5', redlock, '', 'redlock'],
  ['RedlockMutex of redis-semaphore', redlockMutex, 'mutex:', 'redis-semaphore'],
] as const)('%s on the same keys', (_name, open, before, library) => {
  test('is excluded by us', async () => {
    const prefix = `${before}${ownPrefix()}`;
    const foreign = open();
    const lease = await ours(prefix).acquire('job');
    expect(await foreign.acquire(`${prefix}job`)).toBe(false);
    expect(await lease.release()).toBe(true);
    expect(await foreign.acquire(`${prefix}job`)).toBe(true);
    await foreign.release();
  });

  test('excludes us, is shown as the holder, and its release lets us in', async () => {
    const prefix = `${before}${ownPrefix()}`;
    const [foreign, locks] = [open(), ours(prefix, library)];
    expect(await foreign.acquire(`${prefix}job`)).toBe(true);
    expect(await locks.tryAcquire('job')).toBeNull();
    const { holders } = await locks.inspect('job');
    expect(holders).toMatchObject([{ mode: 'exclusive' }]);
    expect(holders[0]?.owner).toBe(await clients[0]?.get(`${prefix}job`));
    const waiting = locks.acquire('job', { wait: 10_000 });
    await foreign.release();
    const lease = await waiting;
    expect(await foreign.acquire(`${prefix}job`)).toBe(false);
    await lease.release();
  });

  test('and our claims never hold a key at the same time, when all ask at once', async () => {
    const prefix = `${before}${ownPrefix()}`;
    const locks = ours(prefix);
    const grants = { ours: 0, foreign: 0 };
    let holders = 0;
    const work = async (whose: keyof typeof grants): Promise<void> => {
      holders += 1;
      expect(holders).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 2));
      holders -= 1;
      grants[whose] += 1;
    };
    const foreignFlow = async (): Promise<void> => {
      for (let turn = 0; turn < 10;) {
        const foreign = open();
        if (!(await foreign.acquire(`${prefix}job`))) {
          await new Promise((resolve) => setTimeout(resolve, 5 * Math.random()));
          continue;
        }
        await work('foreign');
        await foreign.release();
        turn += 1;
        // Its place is behind those that wait, if it gives them a moment.
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const ourFlow = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) await locks.withLock('job', () => work('ours'));
    };
    await Promise.all([foreignFlow(), foreignFlow(), ourFlow(), ourFlow()]);
    expect(grants).toEqual({ ours: 20, foreign: 20 });
  });
});
