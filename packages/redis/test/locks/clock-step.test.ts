import { expect, test } from 'vitest';
import { claimOf, companions, enqueue, locksOf, providerOf } from '../support/queue.ts';
import { connect, eventually, ownPrefix } from '../support/redis.ts';

const hour = 3_600_000;

test('after the clock was stepped back, the place of a waiter that has gone lasts as long as its own service says', async () => {
  const waiterTtl = 60_000;
  const prefix = ownPrefix();
  const client = connect();
  const provider = providerOf(prefix, { waiterTtl });
  // A claim with so short a ttl is told its turn, and keeps its place until it tries.
  const [holder, ghost] = [claimOf(), claimOf({ ttl: 10_000 })];
  await provider.tryAcquire(holder);
  await enqueue(provider, ghost);
  // By a clock that stands an hour earlier, what was written before is an hour later.
  const { queue, deadlines } = companions(prefix);
  const [waiter] = (await client.zrange(deadlines, '0', '0')) as [string];
  await client.zincrby(deadlines, hour, waiter);
  for (const name of [queue, deadlines]) await client.pexpire(name, hour + waiterTtl);
  await provider.release(holder);
  /** In ms from now, by the server's clock. */
  const left = async (): Promise<number> => {
    const [seconds, micros] = (await client.time()).map(Number) as [number, number];
    return Number(await client.zscore(deadlines, waiter)) - (seconds * 1_000 + micros / 1_000);
  };
  const locks = locksOf(prefix, { waiterTtl: 2_000 });
  await eventually('a place that is not too long', async () => {
    expect(await locks.tryAcquire('job')).toBeNull();
    return (await left()) <= waiterTtl;
  });
  expect(await left()).toBeGreaterThan(50_000);
});
