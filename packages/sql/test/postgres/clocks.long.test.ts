import { eventually, wallClockOff } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { startContender } from '../servers/contenders.ts';
import { createTables, startServer } from './support/database.ts';
import { join } from './support/postgres.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

const hour = 3_600_000;

test('processes whose wall clocks are hours apart are served one at a time, with tokens by the clock of the server', async () => {
  const contenders = await Promise.all(
    ['+1h', '-1h'].map(async (by) => await startContender(await wallClockOff(by))).concat(startContender()),
  );
  const [ahead, behind, right] = contenders.map(({ wallClock }) => wallClock);
  expect(ahead! - right!).toBeGreaterThan(0.9 * hour);
  expect(right! - behind!).toBeGreaterThan(0.9 * hour);
  const before = BigInt(Date.now()) * 1_000n;
  const task = { url, key: 'hot', workers: 5, rounds: 6, ttl: 30_000 };
  const tokens = await Promise.all(contenders.map((each) => each.contend(task)));
  const after = BigInt(Date.now()) * 1_000n;
  for (const own of tokens) expect(own).toEqual(own.toSorted((a, b) => (a < b ? -1 : 1)));
  const all = tokens.flat();
  expect(new Set(all).size).toBe(3 * 30);
  for (const token of all) {
    // This machine's clock is the server's.
    expect(token).toBeGreaterThan(before - 60_000_000n);
    expect(token).toBeLessThan(after + 60_000_000n);
  }
});

test.each(['+1h', '-1h'])(
  'a process whose clock is %s off takes nothing from a holder, and its turn when it comes',
  async (by) => {
    const { locks } = join(url);
    const key = `held ${by}`;
    const contender = await startContender(await wallClockOff(by));
    const lease = await locks.acquire(key, { ttl: 60_000 });
    const tokens = contender.contend({ url, key, workers: 1, rounds: 1, ttl: 2_000 });
    await eventually('a waiter', async () => (await locks.inspect(key)).waiters === 1);
    expect((await locks.inspect(key)).holders).toMatchObject([{ owner: lease.owner }]);
    await lease.release();
    const [token] = await tokens;
    expect(token).toBeGreaterThan(lease.token);
  },
);

test.each(['+1h', '-1h'])(
  'a hold that lapses does so by the clock of the server, though its holder is %s off',
  async (by) => {
    const { locks } = join(url);
    const key = `lapsed ${by}`;
    const contender = await startContender(await wallClockOff(by));
    const started = performance.now();
    contender.take({ url, key, ttl: 1_500 });
    await eventually('a holder', async () => (await locks.inspect(key)).holders.length === 1);
    const held = performance.now();
    const [holder] = (await locks.inspect(key)).holders;
    expect(holder?.remaining).toBeLessThanOrEqual(1_500);
    const lease = await locks.acquire(key);
    // Not before the ttl, which began before it was seen; and not long after it.
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_500);
    expect(performance.now() - held).toBeLessThan(5_000);
    await lease.release();
  },
);
