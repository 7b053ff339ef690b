import { setTimeout as delay } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { startRedisCluster } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { served, startLoad } from '../../../core/test/support/load.ts';
import { opened } from '../support/over.ts';
import { eventually } from '../support/redis.ts';

/** More of them find rarer faults: `LOCKS_TEST_ROUNDS=20`. */
const rounds = Number(process.env['LOCKS_TEST_ROUNDS'] ?? 2);
const limit = 40_000 * rounds;
const ttl = 1_000;
const keys = ['a', 'b', 'c', 'd'];

test(
  'the locks of a slot that is being moved rest, and those of others go on',
  async () => {
    await using cluster = await startRedisCluster({ replicas: 0 });
    const options = { prefix: '', timeout: 500, waiterTtl: 1_500 };
    const open = async (): Promise<Locks> => await opened(openLocks({ url: cluster.url, ttl, options }));
    const locks = [await open(), await open(), await open()] as const;
    const [one] = locks;
    const load = startLoad(locks, keys);
    for (let round = 0; round < rounds; round++) {
      const first = load.counts();
      await eventually('holds', () => served(load, first), 20_000);
      const key = keys[round % keys.length] ?? '';
      const from = await cluster.masterOf(key);
      const to = (await cluster.masters()).find((node) => node !== from);
      if (to === undefined) throw new Error('There is one master only.');
      const held = await one.acquire(key);
      const move = await cluster.moveSlotOf(key, to);
      await move.moveKeys(1);
      await expect(held.renew()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      // The load waits for its keys. Others are taken and given back.
      const before = load.counts();
      const others = (): number =>
        keys.filter((other) => other !== key && (load.counts().get(other) ?? 0) > (before.get(other) ?? 0) + 1).length;
      await eventually('locks of other slots', () => others() === keys.length - 1);
      await delay(ttl);
      expect(load.counts().get(key)).toBe(before.get(key));
      expect(held.held).toBe(false);
      while ((await move.moveKeys()) > 0);
      await move.end();
      await eventually('waiters that are served', () => served(load, before), 20_000);
    }
    const seen = await load.stop();
    expect(seen).toMatchObject({ doubleHolds: 0, tokensBack: 0 });
  },
  limit,
);
