import type { Claim, LockProvider } from '@locks/core';
import { redisCommand } from '@locks/test-servers';
import type { RedisCluster } from '@locks/test-servers';
import type { Cluster } from 'ioredis';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { claimOf } from '../support/line.ts';
import { eventually, ownPrefix } from '../support/redis.ts';
import { clusterClients, connectCluster, ownCluster } from './support/cluster.ts';

/** A call is given up after this time, in ms. */
const timeout = 300;
/** So long after `CLUSTERDOWN` the client sends a command again, in ms. */
const retryDelay = 900;

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await ownCluster({ replicas: 0 });
  return () => cluster.stop();
});

/** What `client` has not settled yet. */
function unsettled(client: Cluster): () => Promise<unknown> {
  const sent: Promise<unknown>[] = [];
  for (const name of ['evalsha', 'eval'] as const) {
    const own = client[name].bind(client) as (...args: unknown[]) => Promise<unknown>;
    const counted = (...args: unknown[]): Promise<unknown> => {
      const answer = own(...args);
      sent.push(answer);
      return answer;
    };
    Object.assign(client, { [name]: counted });
  }
  return () => Promise.allSettled(sent);
}

/** Until it is called, the master of `key` refuses every command. */
async function refuse(key: string): Promise<() => Promise<void>> {
  const master = await cluster.masterOf(key);
  const slot = Number(await redisCommand(master, 'CLUSTER', 'KEYSLOT', key));
  await redisCommand(master, 'CLUSTER', 'DELSLOTS', slot);
  return async () => {
    await redisCommand(master, 'CLUSTER', 'ADDSLOTS', slot);
    await cluster.settled();
  };
}

describe.each(clusterClients)('where a Cluster client of %s sends an attempt after its deadline', (_name, open) => {
  /** A provider whose client sends its next attempt so late, and what ends the reason for that. */
  async function make(claim: Claim): Promise<{
    readonly provider: LockProvider;
    readonly settled: () => Promise<unknown>;
    readonly holders: () => Promise<unknown>;
  }> {
    const prefix = ownPrefix();
    const options = { retryDelayOnFailover: 0, retryDelayOnClusterDown: retryDelay };
    const client = connectCluster(cluster, options, open);
    const provider = createRedisProvider(client, { prefix, timeout });
    const other = createRedisProvider(connectCluster(cluster, {}, open), { prefix });
    onTestFinished(async () => void (await Promise.all([provider.close(), other.close()])));
    // The server knows the scripts.
    const first = claimOf({ key: claim.key });
    expect(await provider.tryAcquire(first)).toMatchObject({ granted: true });
    expect(await provider.release(first)).toBe(true);
    const settled = unsettled(client);
    const serve = await refuse(prefix + claim.key);
    await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await serve();
    return { provider, settled, holders: async () => (await other.inspect(claim.key)).holders };
  }

  /** As core does, until the release is answered. */
  async function giveUp(provider: LockProvider, claim: Claim): Promise<void> {
    await eventually('an answer', () =>
      provider.release(claim).then(
        () => true,
        () => false,
      ),
    );
  }

  test('a release that is answered is the last of its claim', async () => {
    const claim = claimOf({ ttl: 30_000 });
    const { provider, settled, holders } = await make(claim);
    await giveUp(provider, claim);
    await settled();
    expect(await holders()).toEqual([]);
  });

  test('so it is after a grant to a repeat', async () => {
    const claim = claimOf({ ttl: 30_000 });
    const { provider, settled, holders } = await make(claim);
    expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
    await giveUp(provider, claim);
    await settled();
    expect(await holders()).toEqual([]);
  });
});
