import type { Claim, LockProvider } from '@locks/core';
import { redisCommand } from '@locks/test-servers';
import type { Cluster } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { claimOf } from '../support/queue.ts';
import { isScriptCall } from '../support/faults.ts';
import { closeAfterTest, eventually, ownPrefix, untilAnswered } from '../support/redis.ts';
import { clusterClients, connectCluster, clusterOfFile } from './support/cluster.ts';
import { waysTo } from './support/ways.ts';
import type { Ways } from './support/ways.ts';
import { stopAfterTest } from '../support/over.ts';

/** A call is given up after this time, in ms. */
const timeout = 300;
/** So long after it failed the client sends a command again, in ms. */
const retryDelay = 900;
const options = { retryDelayOnFailover: retryDelay, retryDelayOnClusterDown: retryDelay };

const cluster = await clusterOfFile({ replicas: 0 });

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

/** Why the client sends the next command on `key` again. Resolves to what ends it. */
type Failure = (key: string, ways: Ways) => Promise<() => Promise<void>>;

/** The master of `key` refuses every command. */
const clusterDown: Failure = async (key) => {
  const master = await cluster.masterOf(key);
  const slot = Number(await redisCommand(master, 'CLUSTER', 'KEYSLOT', key));
  await redisCommand(master, 'CLUSTER', 'DELSLOTS', slot);
  return async () => {
    await redisCommand(master, 'CLUSTER', 'ADDSLOTS', slot);
    await cluster.settled();
  };
};

/** The master of `key` executes the command, and the answer is lost with the connection. */
const lostReply: Failure = async (key, ways) => {
  const master = await cluster.masterOf(key);
  ways.at(master.port).dropReply({ when: isScriptCall });
  return async () => {};
};

const failures = [
  ['the Cluster was down', clusterDown],
  ['a connection broke', lostReply],
] as const;

describe.each(clusterClients)('where a Cluster client of %s sends an attempt after its deadline', (_name, open) => {
  /** A provider that has given up an attempt of `claim`, which its client is to send again. */
  async function make(
    claim: Claim,
    fail: Failure,
  ): Promise<{
    readonly provider: LockProvider;
    readonly settled: () => Promise<unknown>;
    readonly holders: () => Promise<unknown>;
  }> {
    const prefix = ownPrefix();
    const ways = await stopAfterTest(waysTo(cluster.nodes));
    const client = closeAfterTest(open(ways.nodes, options));
    const provider = createRedisProvider(client, { prefix, timeout });
    const other = createRedisProvider(connectCluster(cluster, {}, open), { prefix });
    onTestFinished(async () => void (await Promise.all([provider.close(), other.close()])));
    // The server knows the scripts.
    const first = claimOf({ key: claim.key });
    await grant(provider, first);
    await giveUp(provider, first);
    const settled = unsettled(client);
    const end = await fail(prefix + claim.key, ways);
    await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await end();
    return { provider, settled, holders: async () => (await other.inspect(claim.key)).holders };
  }

  /** As core does, until the attempt is answered. */
  async function grant(provider: LockProvider, claim: Claim): Promise<void> {
    await eventually('a grant', () =>
      provider.tryAcquire(claim).then(
        ({ granted }) => granted,
        () => false,
      ),
    );
  }

  /** The same of a release. */
  async function giveUp(provider: LockProvider, claim: Claim): Promise<void> {
    await untilAnswered('an answer', () => provider.release(claim));
  }

  test.each(failures)('as %s, a release that is answered is the last of its claim', async (_why, fail) => {
    const claim = claimOf({ ttl: 30_000 });
    const { provider, settled, holders } = await make(claim, fail);
    await giveUp(provider, claim);
    await settled();
    expect(await holders()).toEqual([]);
  });

  test.each(failures)('as %s, so it is after a grant to a repeat', async (_why, fail) => {
    const claim = claimOf({ ttl: 30_000 });
    const { provider, settled, holders } = await make(claim, fail);
    await grant(provider, claim);
    await giveUp(provider, claim);
    await settled();
    expect(await holders()).toEqual([]);
  });
});
