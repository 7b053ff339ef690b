import { setImmediate as turn } from 'node:timers/promises';
import { createLocks, isLockError } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createRedisGuard, createRedisProvider } from '../src/index.ts';
import type { RedisOptions } from '../src/index.ts';
import { connect, ownPrefix } from './support/redis.ts';

const localHandOff = { count: 8, ms: 1_000 };

/** A process with a client of its own. */
function open(options: RedisOptions): Locks {
  // Tokens are then those of the counter alone: without a reserve, some would be given twice.
  const locks = createLocks(createRedisProvider(connect(), options), { localHandOff, tokenFloor: 2n ** 52n });
  onTestFinished(() => locks.close());
  return locks;
}

test.each([{}, { fair: false }])('claims of two processes that pass a key on: %j', async (options) => {
  const own = { prefix: ownPrefix(), ...options };
  const [one, two] = [open(own), open(own)];
  const guard = createRedisGuard(connect());
  const history = createHistory(() => performance.now());
  const order: string[] = [];
  let before: Lease | undefined;
  let refused = 0;
  const run = async (name: string, locks: Locks): Promise<void> => {
    await using lease = await locks.acquire('key');
    history.granted(name, lease);
    order.push(name);
    await guard.write(`${own.prefix}value`, `${order.length}`, lease);
    // The holder before comes too late, which may have been one of the same hold.
    const late = before && guard.write(`${own.prefix}value`, 'late', before);
    await late?.catch((error: unknown) => (refused += Number(isLockError(error, 'LOCK_STALE'))));
    before = lease;
    await turn();
    history.released(lease);
  };
  const first = await one.acquire('key');
  const runs = [one, two].flatMap((locks, index) => Array.from({ length: 40 }, () => run(`${index}`, locks)));
  await expect.poll(async () => (await two.inspect('key')).waiters).toBe(40);
  await first.release();
  await Promise.all(runs);
  expect(checkHistory(history.events, { ended: true })).toEqual([]);
  expect(refused).toBe(79);
  expect(await connect().get(`${own.prefix}value`)).toBe('80');
  if (own.fair !== false) {
    // While both wait, each has its turn after a hold and its hand-offs.
    const both = order.slice(0, Math.min(order.lastIndexOf('0'), order.lastIndexOf('1')));
    const turns = both.join('').match(/0+|1+/g) ?? [];
    expect(Math.max(...turns.map(({ length }) => length))).toBeLessThanOrEqual(9);
  }
  expect(await one.inspect('key')).toMatchObject({ holders: [], waiters: 0 });
});

test('hand-offs send nothing to the server', async () => {
  const prefix = ownPrefix();
  const client = connect();
  const locks = createLocks(createRedisProvider(client, { prefix }), { localHandOff });
  const run = () => Promise.all(Array.from({ length: 9 }, () => locks.withLock('key', turn)));
  // The scripts are known from now on.
  await run();
  const sent: string[] = [];
  const { sendCommand } = client;
  client.sendCommand = (...args) => {
    sent.push(args[0].name);
    return sendCommand.apply(client, args);
  };
  await run();
  // An acquire, a renewal that reserves the tokens, and a release.
  expect(sent).toEqual(['evalsha', 'evalsha', 'evalsha']);
  await locks.close();
});
