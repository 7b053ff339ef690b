import { setTimeout as delay } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { served, startLoad } from './support/load.ts';
import { eventually, ownPrefix } from '../support/redis.ts';

/** More of them find rarer faults: `LOCKS_TEST_ROUNDS=20`. */
const rounds = Number(process.env['LOCKS_TEST_ROUNDS'] ?? 2);
const limit = 40_000 * rounds;
const ttl = 1_000;
const keys = ['a', 'b', 'c', 'd'];

/** Three processes, each with a client of its own. */
async function parties(url: string, options: object = {}): Promise<readonly Locks[]> {
  const prefix = ownPrefix();
  const all = { prefix, timeout: 500, waiterTtl: 1_500, ...options };
  const opened = await Promise.all([0, 1, 2].map(async () => await openLocks({ url, ttl, options: all })));
  onTestFinished(async () => void (await Promise.all(opened.map((locks) => locks.close()))));
  return opened;
}

test.each([
  ['is killed', true],
  ['stands still, and goes on after another one has followed', false],
])(
  'with restartGuard no key has two holders when a master with Sentinels %s',
  async (_what, killed) => {
    await using set = await startRedisSentinel({
      args: ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '1'],
    });
    const load = startLoad(await parties(set.url, { restartGuard: ttl }), keys);
    for (let round = 0; round < rounds; round++) {
      const first = load.counts();
      await eventually('holds', () => served(load, first), 20_000);
      const old = await set.master();
      await (killed ? old.kill() : old.pause());
      const before = load.counts();
      await set.masterAfter(old);
      await eventually('waiters that are served', () => served(load, before), 20_000);
      await (killed ? old.restart() : old.resume());
      await set.settled();
    }
    const seen = await load.stop();
    expect(seen).toMatchObject({ doubleHolds: 0, tokensBack: 0 });
  },
  limit,
);

test(
  'in a Cluster waiters are served after a master was killed, and tokens do not go back',
  async () => {
    await using cluster = await startRedisCluster();
    const load = startLoad(await parties(cluster.url), keys);
    for (let round = 0; round < rounds; round++) {
      await cluster.settled();
      const first = load.counts();
      await eventually('holds', () => served(load, first), 20_000);
      const masters = await cluster.masters();
      const old = masters[round % masters.length];
      await old?.kill();
      const before = load.counts();
      await eventually('waiters that are served', () => served(load, before), 20_000);
      await old?.restart();
    }
    const seen = await load.stop();
    expect(seen).toMatchObject({ tokensBack: 0 });
  },
  limit,
);

test(
  'the locks of a slot that is being moved rest, and those of others go on',
  async () => {
    await using cluster = await startRedisCluster({ replicas: 0 });
    const locks = await parties(cluster.url, { prefix: '' });
    const [one] = locks;
    const load = startLoad(locks, keys);
    for (let round = 0; round < rounds; round++) {
      const first = load.counts();
      await eventually('holds', () => served(load, first), 20_000);
      const key = keys[round % keys.length] ?? '';
      const from = await cluster.masterOf(key);
      const to = (await cluster.masters()).find((node) => node !== from);
      if (to === undefined) throw new Error('There is one master only.');
      const held = await one?.acquire(key);
      const move = await cluster.moveSlotOf(key, to);
      await move.moveKeys(1);
      await expect(held?.renew()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      // The load waits for its keys. Others are taken and given back.
      const before = load.counts();
      const others = (): number =>
        keys.filter((other) => other !== key && (load.counts().get(other) ?? 0) > (before.get(other) ?? 0) + 1).length;
      await eventually('locks of other slots', () => others() === keys.length - 1);
      await delay(ttl);
      expect(load.counts().get(key)).toBe(before.get(key));
      expect(held?.held).toBe(false);
      while ((await move.moveKeys()) > 0);
      await move.end();
      await eventually('waiters that are served', () => served(load, before), 20_000);
    }
    const seen = await load.stop();
    expect(seen).toMatchObject({ doubleHolds: 0, tokensBack: 0 });
  },
  limit,
);
