import { createLocks } from '@locks/core';
import { redisCommand, startRedis } from '@locks/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import type { createRedisProvider } from '../../src/index.ts';
import { claimOf } from '../support/queue.ts';
import {
  clients,
  closeAfterTest,
  connect,
  eventually,
  ownPrefix,
  untilAnswered,
  withCopies,
} from '../support/redis.ts';
import { promptCopy, startReplica } from '../support/replica.ts';
import { documented } from '../support/rights.ts';
import { providerOver } from '../support/over.ts';
import { misconfigured, unavailable } from '../../../core/test/support/lock-error.ts';

const master = await startRedis({ args: promptCopy });
const replica = await startReplica(master);
afterAll(() => Promise.all([master.stop(), replica.stop()]));

describe.each(clients)('minReplicas, %s', (_name, create) => {
  const providerOf = (prefix: string, minReplicas = 1, timeout = 1_000): ReturnType<typeof createRedisProvider> => {
    const client = closeAfterTest(create(master.url));
    return providerOver(client, { prefix, minReplicas, timeout });
  };

  test('a grant and a renewal are on the replica when they are answered', async () => {
    const prefix = ownPrefix();
    const provider = providerOf(prefix);
    const atReplica = connect({}, replica.url);
    for (let round = 0; round < 50; round++) {
      const claim = claimOf({ key: `job-${round}`, ttl: 10_000 });
      expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
      expect(await atReplica.get(`${prefix}job-${round}`)).toBe(claim.owner);
      expect(await provider.renew({ ...claim, ttl: 100_000 })).toEqual({});
      const change = { from: undefined, to: `text-${round}` };
      expect(await provider.register?.(`name-${round}`, change)).toBe(change.to);
      expect(await atReplica.get(`{${prefix}}:register:name-${round}`)).toBe(change.to);
      expect(await atReplica.pttl(`${prefix}job-${round}`)).toBeGreaterThan(50_000);
    }
  });

  test('with too few replicas they are unknown, other answers are not, and nothing is left', async () => {
    const prefix = ownPrefix();
    const provider = providerOf(prefix);
    const held = claimOf();
    expect(await provider.tryAcquire(held)).toMatchObject({ granted: true });
    const tooFew = unavailable(/0 of 1 replicas/);
    await replica.pause();
    try {
      // Another write of the client, so that a WAIT without one of its own has nothing to wait for.
      await expect(provider.tryAcquire(claimOf({ key: 'free' }))).rejects.toMatchObject(tooFew);
      await expect(provider.renew(held)).rejects.toMatchObject(tooFew);
      // A repeat finds the change made, and is not sure of it either.
      for (const _ of [1, 2]) {
        const change = { from: undefined, to: 'text' };
        await expect(provider.register?.('name', change)).rejects.toMatchObject(tooFew);
      }
      const several = ['one', 'two'].map((key) => provider.tryAcquire(claimOf({ key })));
      for (const attempt of several) await expect(attempt).rejects.toMatchObject(tooFew);
      expect(await provider.tryAcquire(claimOf())).toMatchObject({ granted: false });
      expect(await provider.renew(claimOf())).toBe(false);
      const locks = createLocks(provider, { ttl: 2_000 });
      await expect(locks.tryAcquire('other')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      await eventually('the release', async () => (await locks.inspect('other')).holders.length === 0);
      await locks.close();
    } finally {
      await replica.resume();
    }
    await untilAnswered('the replica', () => provider.renew(held));
  });

  test('a busy answer does not wait for the replica of another claim', async () => {
    const provider = providerOf(ownPrefix(), 1, 4_000);
    const held = claimOf();
    expect(await provider.tryAcquire(held)).toMatchObject({ granted: true });
    await replica.pause();
    try {
      let blocked = true;
      const free = provider.tryAcquire(claimOf({ key: 'free' }));
      const settled = free.catch(() => {}).then(() => (blocked = false));
      await eventually('a WAIT', async () =>
        / flags=b .* cmd=wait /.test(String(await redisCommand(master, 'CLIENT', 'LIST'))),
      );
      for (let round = 0; round < 10; round++) {
        expect(await provider.tryAcquire(claimOf())).toMatchObject({ granted: false });
      }
      expect(blocked).toBe(true);
      await settled;
      await expect(free).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    } finally {
      await replica.resume();
    }
  });

  test('a grant that another server does not have is unknown', async () => {
    const prefix = ownPrefix();
    const client = closeAfterTest(create(master.url));
    const forgetful = withCopies(client, (options) => client.duplicate(options));
    forgetful.evalsha = async (sha, count, ...rest) => {
      const reply = await client.evalsha(sha, count, ...rest);
      await client.del(...rest.slice(0, count).map(String));
      return reply;
    };
    const provider = providerOver(forgetful, { prefix, minReplicas: 1, timeout: 1_000 });
    const gone = unavailable(/was gone before replicas had it/);
    await expect(provider.tryAcquire(claimOf())).rejects.toMatchObject(gone);
  });

  test('a user needs the right to wait besides, and its lack is named', async () => {
    const prefix = 'locks:';
    const user = async (name: string, ...more: readonly string[]): Promise<ReturnType<typeof createRedisProvider>> => {
      const rights = [...documented, ...more];
      await redisCommand(master, 'ACL', 'SETUSER', name, 'reset', 'on', '>secret', 'resetchannels', ...rights);
      const client = closeAfterTest(create(master.url, { username: name, password: 'secret' }));
      return providerOver(client, { prefix, minReplicas: 1, timeout: 1_000 });
    };
    const claim = claimOf({ key: ownPrefix() });
    const allowed = await user('waits', '+wait');
    expect(await allowed.tryAcquire(claim)).toMatchObject({ granted: true });
    expect(await allowed.release(claim)).toBe(true);
    const refused = misconfigured('+wait');
    await expect((await user('waitless')).tryAcquire(claim)).rejects.toMatchObject(refused);
  });

  test('calls at the same time share a WAIT, and a connection that was cut is replaced', async () => {
    const provider = providerOf(ownPrefix());
    const waits = async (): Promise<number> =>
      Number(/cmdstat_wait:calls=(\d+)/.exec(String(await redisCommand(master, 'INFO', 'commandstats')))?.[1] ?? 0);
    await provider.tryAcquire(claimOf({ key: 'first' }));
    const before = await waits();
    const claims = Array.from({ length: 100 }, (_, index) => claimOf({ key: `job-${index}` }));
    const answers = await Promise.all(claims.map((claim) => provider.tryAcquire(claim)));
    expect(answers.every(({ granted }) => granted)).toBe(true);
    expect((await waits()) - before).toBeLessThan(5);
    await redisCommand(master, 'CLIENT', 'KILL', 'TYPE', 'normal');
    expect(await untilAnswered('another connection', () => provider.renew(claims[0]!))).toEqual({});
  });
});
