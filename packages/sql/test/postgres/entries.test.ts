import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { commitsThatWait, withAbsentStandby } from './support/absent-standby.ts';
import { serverOfFile } from './support/database.ts';
import { blockRow, join, untilBlocked } from '../servers/parties.ts';

const { url } = await serverOfFile();

/** A key with a holder and a waiter of this process: further claims enter the queue at once. */
async function startQueue() {
  const key = `job/${randomUUID()}`;
  const { locks, provider } = join(url);
  const holder = await locks.acquire(key, { ttl: 60_000 });
  const giveUp = new AbortController();
  const order: number[] = [];
  const enter = async (number: number, signal: AbortSignal = giveUp.signal): Promise<void> => {
    const lease = await locks.acquire(key, { wait: 30_000, ttl: 60_000, signal });
    order.push(number);
    await lease.release();
  };
  const waiters = async (): Promise<number> => (await provider.inspect(key)).waiters ?? 0;
  const ends = [enter(0)];
  await expect.poll(waiters).toBe(1);
  onTestFinished(async () => {
    giveUp.abort();
    await Promise.allSettled(ends);
  });
  return { key, holder, order, enter, waiters, ends };
}

test('claims that come while one enters the queue of their key take one connection, and keep their order', async () => {
  const { key, holder, order, enter, waiters, ends } = await startQueue();
  const unblock = await blockRow(url, key);
  const signal = new AbortController();
  for (let number = 1; number <= 20; number += 1) ends.push(enter(number));
  const left = enter(21, signal.signal);
  await untilBlocked(url, 1);
  // The others would come within this time.
  await delay(200);
  expect(await untilBlocked(url, 1)).toHaveLength(1);
  signal.abort();
  await expect(left).rejects.toThrow();
  await unblock();
  await expect.poll(waiters).toBe(21);
  await holder.release();
  await Promise.all(ends);
  expect(order).toEqual(Array.from({ length: 21 }, (_, number) => number));
});

test('a position in the queue does not wait until its commit is durable', async () => {
  const { holder, order, enter, waiters, ends } = await startQueue();
  await withAbsentStandby(url, async () => {
    for (let number = 1; number <= 5; number += 1) ends.push(enter(number));
    await expect.poll(waiters).toBe(6);
    // That of the probe.
    expect(await commitsThatWait(url)).toBe(1);
  });
  await holder.release();
  await Promise.all(ends);
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
});
