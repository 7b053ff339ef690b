import { combine } from '@locks/composites';
import { createLocks, openLocks } from '@locks/core';
import type { Claim, LockProvider } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Cluster } from 'ioredis';
import type { Redis } from 'ioredis';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createRedisProvider, initialise } from '../../src/index.ts';
import type { RedisClient, RedisOptions } from '../../src/index.ts';
import { claimOf, enqueue, modes } from '../support/queue.ts';
import { closeAfterTest, collect, connect, eventually, ownPrefix } from '../support/redis.ts';
import { locksOver, providerOver } from '../support/over.ts';

const guard = 800;
const guarded = (mode: Claim['mode'] = 'exclusive'): Claim => claimOf({ mode, ttl: guard });
const refused = {
  code: 'LOCK_UNAVAILABLE',
  sent: false,
  message: expect.stringMatching(/^Redis restarted .* s ago, or lost its data: no grants for another .* s /) as string,
};

async function ownServer(...args: string[]): Promise<{ readonly server: ServerHandle; readonly client: Redis }> {
  const server = await startRedis({ args });
  onTestFinished(() => server.stop());
  return { server, client: connect({}, server.url) };
}

function providerOn(client: RedisClient, options: RedisOptions = {}): LockProvider {
  const provider = providerOver(client, { restartGuard: guard, ...options });
  return provider;
}

/** The moment since which the server of `client` counts, in ms of its clock. */
async function since(client: Redis, marker = '{locks:}:server'): Promise<number> {
  return Number((await client.get(marker))?.split(' ')[1]);
}

/** Repeats `claim` while the server refuses it; resolves to its token. */
async function grantedAfterwards(provider: LockProvider, claim: Claim): Promise<bigint> {
  return await eventually('a grant', async () => {
    try {
      const answer = await provider.tryAcquire(claim);
      expect(answer).toMatchObject({ granted: true });
      return answer.granted ? answer.token : undefined;
    } catch (error) {
      expect(error).toMatchObject(refused);
      return undefined;
    }
  });
}

/** The ways in which a server comes back without its latest locks. */
const returns: readonly (readonly [name: string, lose: () => Promise<Return>])[] = [
  [
    'a restart without data',
    async () => {
      const { server, client } = await ownServer();
      return {
        before: client,
        async comeBack() {
          await server.restart({ keepData: false });
          return client;
        },
      };
    },
  ],
  [
    'an old snapshot',
    async () => {
      const { server, client } = await ownServer();
      await initialise(client);
      await client.call('SAVE');
      return {
        before: client,
        async comeBack() {
          await server.kill();
          await server.restart();
          return client;
        },
      };
    },
  ],
  [
    'an old append-only file',
    async () => {
      const { server, client } = await ownServer('--appendonly', 'yes', '--appendfsync', 'always');
      return {
        before: client,
        async comeBack() {
          await client.config('SET', 'appendonly', 'no');
          await client.del('locks:job');
          await server.kill();
          await server.restart();
          return client;
        },
      };
    },
  ],
  [
    'FLUSHALL',
    async () => {
      const { client } = await ownServer();
      return {
        before: client,
        async comeBack() {
          await client.flushall();
          return client;
        },
      };
    },
  ],
  [
    'a promoted replica',
    async () => {
      const [master, replica] = await Promise.all([ownServer('--repl-diskless-sync-delay', '0'), ownServer()]);
      await replica.client.replicaof(master.server.host, master.server.port);
      await eventually('the replica', async () =>
        (await replica.client.info('replication')).includes('master_link_status:up'),
      );
      return {
        before: master.client,
        async comeBack() {
          // Nothing of the master arrives any more, but the marker has.
          await master.server.kill();
          await replica.client.replicaof('NO', 'ONE');
          await replica.client.del('locks:job');
          return replica.client;
        },
      };
    },
  ],
];

/** A server that grants, until it comes back. */
interface Return {
  readonly before: Redis;
  /** Resolves to a client of the server that is there then. */
  comeBack(): Promise<Redis>;
}

describe.each(returns)('after %s', (_name, prepare) => {
  test.each(modes)('a server grants nothing until the leases of before are over: %s', async (mode) => {
    const { before, comeBack } = await prepare();
    await initialise(before);
    const lease = await createLocks(providerOn(before)).acquire('job', { ttl: guard, renew: false });
    const after = await comeBack();
    const provider = providerOn(after);
    const other = guarded(mode);
    await expect(provider.tryAcquire(other)).rejects.toMatchObject(refused);
    const start = await since(after);
    const token = await grantedAfterwards(provider, other);
    expect(lease.held).toBe(false);
    // A token is not behind the server's clock in µs.
    expect(Number(token)).toBeGreaterThanOrEqual((start + guard) * 1_000);
  });
});

test('without the option a server that came back empty grants while the lease of before is held', async () => {
  const { server, client } = await ownServer();
  const lease = await createLocks(createRedisProvider(client)).acquire('job', { renew: false });
  await server.restart({ keepData: false });
  const other = await createLocks(createRedisProvider(client)).acquire('job', { wait: 5_000 });
  expect([lease.held, other.held]).toEqual([true, true]);
});

describe('while a server grants nothing', () => {
  /** A server that has come back with its data: a holder, a sharer, and a waiter in the queue. */
  async function cameBack(): Promise<{
    readonly client: Redis;
    readonly provider: LockProvider;
    readonly holder: Claim;
    readonly sharer: Claim;
    readonly waiter: Claim;
    readonly token: bigint;
  }> {
    const { server, client } = await ownServer('--appendonly', 'yes', '--appendfsync', 'always');
    await initialise(client);
    const options = { restartGuard: 60_000, waiterTtl: 60_000 };
    const provider = providerOn(client, options);
    const [holder, waiter] = [claimOf(), claimOf()];
    const sharer = claimOf({ key: 'shares', mode: 'shared', permits: 2 });
    const grant = await provider.tryAcquire(holder);
    await provider.tryAcquire(sharer);
    await enqueue(provider, waiter);
    await server.restart();
    await eventually('the connection', () => client.status === 'ready');
    return { client, provider, holder, sharer, waiter, token: grant.granted ? grant.token : 0n };
  }

  test('no claim hears busy, and none leaves anything or takes a place', async () => {
    const { client, provider, waiter } = await cameBack();
    for (const mode of modes) {
      for (const key of ['free', 'job', 'shares']) {
        const claim = claimOf({ key, mode });
        await expect(provider.tryAcquire(claim), `${mode} ${key}`).rejects.toMatchObject(refused);
        for (let attempt = 0; attempt < 3; attempt += 1) {
          await expect(provider.tryAcquire(claim, () => {})).rejects.toMatchObject(refused);
        }
      }
    }
    expect(await client.keys('*free*')).toEqual([]);
    expect((await provider.inspect('job')).waiters).toBe(1);
    await expect(provider.tryAcquire(waiter, () => {})).rejects.toMatchObject(refused);
    expect((await provider.inspect('job')).waiters).toBe(0);
  });

  test('a holder goes on: it repeats, renews, raises its token, converts and releases', async () => {
    const { provider, holder, sharer, token } = await cameBack();
    expect(await provider.tryAcquire(holder)).toEqual({ granted: true, token });
    expect(await provider.renew(holder, token + 9n)).toEqual({});
    expect(await provider.tryAcquire({ ...holder, mode: 'shared' })).toEqual({ granted: true, token: token + 9n });
    expect(await provider.tryAcquire(sharer)).toMatchObject({ granted: true });
    await expect(provider.tryAcquire({ ...sharer, mode: 'exclusive' })).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    expect(await provider.renew(sharer)).toEqual({});
    expect((await provider.inspect('shares')).holders).toMatchObject([{ owner: sharer.owner, mode: 'shared' }]);
    expect((await collect(provider.list?.('') ?? [])).toSorted()).toEqual(['job', 'shares']);
    for (const claim of [{ ...holder, mode: 'shared' as const }, sharer]) {
      expect(await provider.release(claim)).toBe(true);
      await expect(provider.tryAcquire({ ...claim, owner: 'next/1' })).rejects.toMatchObject(refused);
    }
  });

  test('acquire waits for the end of the guard within its wait, and asks rarely', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const provider = providerOn(client, { restartGuard: 3_000 });
    const locks = createLocks(provider, { ttl: 500 });
    onTestFinished(() => locks.close());
    await client.del('{locks:}:server');
    await expect(locks.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', retryAfter: 3_000 });
    await client.config('RESETSTAT');
    const began = performance.now();
    // A ttl of nothing but rejections would end it.
    const lease = await locks.acquire('job', { wait: 30_000 });
    expect(lease.held).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(2_000);
    expect(performance.now() - began).toBeLessThan(3_500);
    expect(await client.info('commandstats')).toMatch(/cmdstat_evalsha:calls=[1-9],/);
    await expect(locks.acquire('other', { wait: 300 })).resolves.toMatchObject({ held: true });
  });

  test('a wait that ends before the guard is told so then', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const locks = createLocks(providerOn(client, { restartGuard: 60_000 }), { ttl: 500 });
    onTestFinished(() => locks.close());
    await client.del('{locks:}:server');
    const began = performance.now();
    const error: unknown = await locks.acquire('job', { wait: 900 }).catch((reason: unknown) => reason);
    expect(performance.now() - began).toBeGreaterThan(850);
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: refused });
    expect((error as { readonly retryAfter: number }).retryAfter).toBeGreaterThan(50_000);
  });

  test('in a quorum it waits for so many members as it needs', async () => {
    const three = await Promise.all([1, 2, 3].map(() => ownServer()));
    for (const { client } of three) await initialise(client);
    const guards = [1_000, 2_500, 60_000];
    const members = three.map(({ client }, index) => providerOn(client, { restartGuard: guards[index] }));
    const locks = createLocks(combine(members), { ttl: 500 });
    onTestFinished(() => locks.close());
    for (const { client } of three) await client.del('{locks:}:server');
    const began = performance.now();
    const error: unknown = await locks.tryAcquire('job').catch((reason: unknown) => reason);
    expect((error as { readonly retryAfter: number }).retryAfter).toBeGreaterThan(2_000);
    const lease = await locks.acquire('job', { wait: 30_000 });
    expect(lease.held).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(2_300);
    expect(performance.now() - began).toBeLessThan(3_500);
  });

  test('a share that has expired is no hold', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const provider = providerOn(client);
    const [brief, long] = [guarded('shared'), guarded('shared')];
    await provider.tryAcquire({ ...brief, ttl: 50 });
    await provider.tryAcquire(long);
    await client.del('{locks:}:server');
    await eventually('the end of the share', async () => (await provider.inspect('job')).holders.length === 1);
    await expect(provider.tryAcquire(brief)).rejects.toMatchObject(refused);
    expect(await provider.tryAcquire(long)).toMatchObject({ granted: true });
  });

  test('all waiters of a process hear it, and are granted afterwards', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const provider = providerOn(client, { waiterTtl: 600, restartGuard: 4_000 });
    const locks = createLocks(provider, { ttl: 4_000 });
    onTestFinished(() => locks.close());
    const holder = await locks.acquire('job');
    // Longer than some of them tell the server for the others too that they wait.
    const waiting = Array.from({ length: 8 }, () => locks.acquire('job', { wait: 3_000 }));
    await eventually('all in the queue', async () => (await locks.inspect('job')).waiters === waiting.length);
    const told = Promise.allSettled(waiting);
    await client.flushall();
    for (const outcome of await told) {
      expect(outcome).toMatchObject({ reason: { code: 'LOCK_UNAVAILABLE', cause: refused } });
    }
    expect((await locks.inspect('job')).waiters).toBe(0);
    expect(await holder.release()).toBe(false);
    await eventually('a grant', async () => (await locks.tryAcquire('job').catch(() => undefined)) ?? undefined);
  });
});

describe('the marker', () => {
  test('is no key of a lock, and the only key that the option adds', async () => {
    const client = connect({ keyPrefix: 'app:' });
    const plain = connect();
    const prefix = ownPrefix();
    await initialise(client, { prefix });
    const provider = providerOn(client, { prefix });
    const claim = guarded();
    expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
    expect(await collect(provider.list?.('') ?? [])).toEqual(['job']);
    await provider.release(claim);
    const marker = `app:{app:${prefix}}:server`;
    const names = await plain.keys(`*${prefix}*`);
    expect(names.toSorted()).toEqual([marker, `app:{app:${prefix}job}:token`].toSorted());
    expect(await plain.get(marker)).toMatch(/^run_id:[0-9a-f]{40} 0$/);
  });

  test('is not there without the option, nor is any other command', async () => {
    const { client } = await ownServer();
    const locks = locksOver(client);
    await client.config('RESETSTAT');
    await (await locks.acquire('job')).release();
    await (await locks.acquire('job', { mode: 'shared' })).release();
    expect(await client.keys('*server*')).toEqual([]);
    expect(await client.info('commandstats')).not.toMatch(/cmdstat_info:/);
  });

  test('of a later moment, as after a step of the clock, delays grants by one guard and no more', async () => {
    const { client } = await ownServer();
    await initialise(client);
    const [id] = ((await client.get('{locks:}:server')) ?? '').split(' ');
    await client.set('{locks:}:server', `${id} ${Date.now() + 3_600_000}`);
    await grantedAfterwards(providerOn(client), guarded());
  });

  test('is written once: a second claim does not begin anew', async () => {
    const { client } = await ownServer();
    const provider = providerOn(client);
    await expect(provider.tryAcquire(guarded())).rejects.toMatchObject(refused);
    const start = await since(client);
    await expect(providerOn(client).tryAcquire(guarded('shared'))).rejects.toMatchObject(refused);
    expect(await since(client)).toBe(start);
  });
});

describe('initialise', () => {
  test('lets a new server grant at once, and counts until it comes back', async () => {
    const { server, client } = await ownServer();
    const provider = providerOn(client);
    await expect(provider.tryAcquire(guarded())).rejects.toMatchObject(refused);
    await initialise(client);
    expect(await provider.tryAcquire(guarded())).toMatchObject({ granted: true });
    await server.restart({ keepData: false });
    await expect(providerOn(connect({}, server.url)).tryAcquire(guarded())).rejects.toMatchObject(refused);
  });

  test('refuses what is wrong', async () => {
    const { client, server } = await ownServer();
    const misconfigured = (message: string | RegExp): object => ({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(message) as string,
    });
    await expect(initialise({} as RedisClient)).rejects.toMatchObject(misconfigured('needs a client of ioredis'));
    await expect(initialise(client, { prefix: 'a b' })).rejects.toMatchObject(misconfigured('option "prefix"'));
    const unknown: object = { restartGuard: 1_000 };
    await expect(initialise(client, unknown)).rejects.toMatchObject(misconfigured('unknown option "restartGuard"'));
    await client.replicaof('127.0.0.1', 1);
    await expect(initialise(client)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await server.stop();
    await expect(initialise(client, { timeout: 200 })).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });
});

describe('option restartGuard', () => {
  test('refuses a claim with a longer ttl, and names both', async () => {
    const client = connect();
    const prefix = ownPrefix();
    await initialise(client, { prefix });
    const provider = providerOn(client, { prefix, restartGuard: '20s' });
    for (const mode of modes) {
      await expect(provider.tryAcquire(claimOf({ mode, ttl: 20_001 }))).rejects.toMatchObject({
        code: 'LOCK_INVALID',
        key: 'job',
        message: expect.stringMatching(/"job".* ttl of 20001 ms.*"restartGuard" is 20000 ms/) as string,
      });
      const claim = claimOf({ mode, ttl: 20_000 });
      expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
      expect(await provider.release(claim)).toBe(true);
    }
  });

  test('bounds leases, and not the rest of their keys', async () => {
    const client = connect();
    const prefix = ownPrefix();
    await initialise(client, { prefix });
    const locks = createLocks(providerOn(client, { prefix, restartGuard: '30s' }));
    onTestFinished(() => locks.close());
    const own = { ttl: 30_000, wait: 0 };
    for (const [key, options] of [
      ['rest', { atLeast: '1h' }],
      ['delay', { lockDelay: '24h' }],
    ] as const) {
      const lease = await locks.acquire(key, { ...own, ...options });
      expect(lease.remaining).toBeLessThanOrEqual(30_000);
      await lease.renew();
      await lease.release();
    }
    for (const slot of [{ every: '1h', at: Date.now() % 3_600_000 }, 'a name']) {
      expect(await locks.once('job', slot, { ttl: 30_000 }, () => 'ran')).toEqual({ held: true, value: 'ran' });
    }
    await expect(locks.acquire('long', { ttl: 30_001, lockDelay: 1 })).rejects.toMatchObject({
      code: 'LOCK_INVALID',
      message: expect.stringMatching(/"long".* ttl of 30001 ms.*"restartGuard" is 30000 ms/) as string,
    });
  });

  test('comes from a URL too', async () => {
    const prefix = ownPrefix();
    const url = `${inject('redisUrl')}?prefix=${prefix}&ttl=1s`;
    const locks = await openLocks(`${url}&restartGuard=1s`);
    onTestFinished(() => locks.close());
    await expect(locks.tryAcquire('job')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: refused });
    await eventually('a grant', async () => (await locks.tryAcquire('job').catch(() => undefined)) ?? undefined);
    await expect(openLocks(`${url}&restartGuard=soon`)).rejects.toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(/option "restartGuard".*"soon"/) as string,
    });
  });

  test('is not for a Cluster', async () => {
    const { server, client } = await ownServer('--cluster-enabled', 'yes');
    await client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    await eventually('the cluster', async () =>
      String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
    );
    const cluster = new Cluster([{ host: server.host, port: server.port }], { lazyConnect: true });
    closeAfterTest(cluster);
    const ofCluster = cluster as unknown as RedisClient;
    const misconfigured = { code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(/Cluster/) as string };
    expect(() => createRedisProvider(ofCluster, { restartGuard: guard })).toThrow(
      expect.objectContaining(misconfigured),
    );
    await expect(initialise(ofCluster)).rejects.toMatchObject(misconfigured);
    // A client of one of its nodes: the marker and the key are in two slots.
    await expect(providerOn(client).tryAcquire(guarded())).rejects.toMatchObject(misconfigured);
  });
});
