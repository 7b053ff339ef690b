import { describe, expect, test } from 'vitest';
import { claimOf, companions, enqueue, locksOf, providerOf } from '../support/queue.ts';
import { connect, eventually, ownPrefix } from '../support/redis.ts';

describe('after the clock was stepped back, the place of a waiter that has gone', () => {
  const hour = 3_600_000;

  /**
   * A queue whose first waiter does not come any more, on a free key, and when its place is
   * forfeit.
   */
  async function abandonedQueue(
    waiterTtl: number,
    ttl = 30_000,
  ): Promise<{
    readonly prefix: string;
    /** In ms from now, by the server's clock. */
    left(): Promise<number>;
  }> {
    const prefix = ownPrefix();
    const client = connect();
    const provider = providerOf(prefix, { waiterTtl });
    const [holder, ghost] = [claimOf(), claimOf({ ttl })];
    await provider.tryAcquire(holder);
    await enqueue(provider, ghost);
    // By a clock that stands an hour earlier, what was written before is an hour later.
    const { queue, deadlines } = companions(prefix);
    const [waiter] = (await client.zrange(deadlines, '0', '0')) as [string];
    await client.zincrby(deadlines, hour, waiter);
    for (const name of [queue, deadlines]) await client.pexpire(name, hour + waiterTtl);
    await provider.release(holder);
    return {
      prefix,
      async left() {
        const [seconds, micros] = (await client.time()).map(Number) as [number, number];
        return Number(await client.zscore(deadlines, waiter)) - (seconds * 1_000 + micros / 1_000);
      },
    };
  }

  test('does not block a free key longer than a place lasts', async () => {
    const { prefix } = await abandonedQueue(2_000);
    const locks = locksOf(prefix, { waiterTtl: 2_000 });
    await (await locks.acquire('job', { wait: 15_000 })).release();
  });

  test('does not refuse those who do not wait for longer than a place lasts', async () => {
    const { prefix } = await abandonedQueue(2_000);
    const locks = locksOf(prefix);
    await eventually('a lease', async () => (await locks.tryAcquire('job')) ?? undefined);
  });

  test('lasts as long as its own service says', async () => {
    // A claim with so short a ttl is told its turn, and keeps its place until it tries.
    const { prefix, left } = await abandonedQueue(60_000, 10_000);
    const locks = locksOf(prefix, { waiterTtl: 2_000 });
    await eventually('a place that is not too long', async () => {
      expect(await locks.tryAcquire('job')).toBeNull();
      return (await left()) <= 60_000;
    });
    expect(await left()).toBeGreaterThan(50_000);
  });
});
