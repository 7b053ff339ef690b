import { openLocks } from '@locks/core';
import type { Claim, Lease, LockProvider, Locks } from '@locks/core';
import { redisCommand } from '@locks/test-servers';
import type { RedisCluster, ServerHandle } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { claimOf } from '../support/queue.ts';
import { eventually, ownPrefix, untilAnswered } from '../support/redis.ts';
import { clusterOpeners, openCluster, clusterOfFile, ownCluster } from './support/cluster.ts';
import { served, startLoad } from '../../../core/test/support/load.ts';
import type { Load } from '../../../core/test/support/load.ts';
import { opened, providerOver } from '../support/over.ts';

/** Longer than a failover in order, and than the move of a slot with a few keys. */
const ttl = 6_000;
const keys = ['a', 'b', 'c', 'd'];
/** In the slots of all masters. */
const heldKeys = Array.from({ length: 12 }, (_, index) => `held-${index}`);

const cluster = await clusterOfFile();

async function locksFor(prefix: string): Promise<Locks> {
  const options = { prefix, minReplicas: 1, timeout: 1_000 };
  return await opened(openLocks({ url: cluster.url, ttl, options }));
}

async function failOver(master: ServerHandle): Promise<void> {
  const [replica] = await cluster.replicasOf(master);
  if (replica === undefined) throw new Error('The master has no replica.');
  await cluster.failOver(replica);
  await cluster.settled();
}

async function moveSlot(key: string): Promise<void> {
  const from = await cluster.masterOf(key);
  const to = (await cluster.masters()).find((node) => node !== from);
  if (to === undefined) throw new Error('There is one master only.');
  const move = await cluster.moveSlotOf(key, to);
  // A load makes keys meanwhile, and those that move together rest together.
  while ((await move.moveKeys()) > 0);
  await move.end();
}

/** Leases that are renewed only, beside a load. */
async function underLoad(prefix: string, change: (load: Load) => Promise<void>): Promise<void> {
  const [holder, ...others] = await Promise.all([locksFor(prefix), locksFor(prefix), locksFor(prefix)]);
  const lost: unknown[] = [];
  const hold = async (key: string): Promise<Lease> => {
    const lease = await holder.acquire(key);
    lease.signal.addEventListener('abort', () => void (lease.signal.reason && lost.push(lease.signal.reason)));
    return lease;
  };
  const leases = await Promise.all(heldKeys.map(hold));
  const load = startLoad(others, keys);
  const first = load.counts();
  await eventually('holds', () => served(load, first), 20_000);
  await change(load);
  // Each lease has been renewed since.
  const after = performance.now() + ttl;
  await eventually('another ttl', () => performance.now() > after, 2 * ttl);
  expect(lost).toEqual([]);
  expect(leases.every(({ held }) => held)).toBe(true);
  for (const { key, token } of leases) {
    expect((await holder.inspect(key)).holders).toMatchObject([{ token }]);
    expect(await others[0]?.tryAcquire(key)).toBeNull();
  }
  const before = load.counts();
  await eventually('waiters that are served', () => served(load, before), 20_000);
  const { codes, ...seen } = await load.stop();
  expect(seen).toMatchObject({ doubleHolds: 0, tokensBack: 0, lost: 0 });
  expect([...codes].filter((code) => code !== 'LOCK_UNAVAILABLE')).toEqual([]);
  await Promise.all(leases.map((lease) => lease.release()));
}

test('with minReplicas leases and a load go on when masters are followed in order', async () => {
  await underLoad(ownPrefix(), async (load) => {
    for (const master of await cluster.masters()) {
      await failOver(master);
      const before = load.counts();
      await eventually('waiters that are served', () => served(load, before), 20_000);
    }
  });
}, 120_000);

test('with minReplicas leases and a load go on when slots are moved', async () => {
  const prefix = ownPrefix();
  await underLoad(prefix, async (load) => {
    for (const key of ['a', 'held-0', 'b']) {
      await moveSlot(prefix + key);
      const before = load.counts();
      await eventually('waiters that are served', () => served(load, before), 20_000);
    }
  });
}, 120_000);

describe.each(clusterOpeners)('renewals alone, with minReplicas and %s', (name, open) => {
  async function providerOn(servers: RedisCluster): Promise<LockProvider> {
    const client = await openCluster(open, servers);
    return providerOver(client, { prefix: ownPrefix(), minReplicas: 1, timeout: 1_000 });
  }

  /** Claims in the slots of all masters. */
  async function granted(provider: LockProvider): Promise<readonly Claim[]> {
    const claims = heldKeys.map((key) => claimOf({ key, ttl: 60_000 }));
    for (const claim of claims) {
      expect(await untilAnswered('a grant', () => provider.tryAcquire(claim))).toMatchObject({ granted: true });
    }
    return claims;
  }

  /** Waits for a renewal of each. Until then it is unknown, and never refused. */
  async function renewEach(provider: LockProvider, claims: readonly Claim[]): Promise<void> {
    const renew = async (claim: Claim): Promise<boolean> => {
      try {
        expect(await provider.renew(claim)).toEqual({});
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
        return false;
      }
    };
    for (const claim of claims) await eventually('a renewal', () => renew(claim), 20_000);
  }

  test('find the next master at once, and leave the old one', async () => {
    const provider = await providerOn(cluster);
    const claims = await granted(provider);
    for (const master of await cluster.masters()) {
      await failOver(master);
      for (const claim of claims) expect(await provider.renew(claim)).toEqual({});
      expect(await writersAt(master)).toBe(0);
    }
    for (const claim of claims) expect(await provider.release(claim)).toBe(true);
  });

  test('find the next master after one was killed', async () => {
    const provider = await providerOn(cluster);
    const claims = await granted(provider);
    const [old] = await cluster.masters();
    await old?.kill();
    await eventually('another master', async () => !(await cluster.masters()).includes(old!), 20_000);
    // Its replica has none. The old master becomes one.
    await old?.restart();
    await renewEach(provider, claims);
    await cluster.settled();
  });

  // After that node-redis knows no node any more, for its caller's commands neither.
  const leaves = name === 'node-redis' ? undefined : test;
  leaves?.('leave a master that left the Cluster', async () => {
    await using small = await ownCluster({ masters: 1, replicas: 2 });
    const provider = await providerOn(small);
    const claims = await granted(provider);
    const [old] = await small.masters();
    const [next] = await small.replicasOf(old!);
    await small.failOver(next!);
    await small.settled();
    const id = String(await redisCommand(old!, 'CLUSTER', 'MYID'));
    await redisCommand(old!, 'CLUSTER', 'RESET', 'HARD');
    for (const node of small.nodes) if (node !== old) await redisCommand(node, 'CLUSTER', 'FORGET', id);
    expect(await writersAt(old!)).toBe(1);
    await renewEach(provider, claims);
    await eventually('the end of its connection', async () => (await writersAt(old!)) === 0);
  });
});

/** The connections to a server over which renewals waited for replicas. */
async function writersAt(server: ServerHandle): Promise<number> {
  return String(await redisCommand(server, 'CLIENT', 'LIST')).split(' cmd=wait ').length - 1;
}
