import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect as dial } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import type { LockError } from '@locks/core';
import { listen, redisCommand, startProxy, startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { libraries } from '../../src/connect/libraries.ts';
import { claimOf } from '../support/queue.ts';
import { clients, closeAfterTest, eventually, untilAnswered } from '../support/redis.ts';
import { promptCopy, startReplica } from '../support/replica.ts';
import { opened, providerOver, stopAfterTest } from '../support/over.ts';

/**
 * A master and a replica behind one address, as managed services have it. `swap` makes the replica
 * the master. New connections go there, and those of before stay with the old master.
 */
async function behindOneAddress(): Promise<{ readonly url: string; swap(): Promise<void> }> {
  const old = await startRedis({ args: promptCopy });
  const next = await startReplica(old);
  let target: ServerHandle = old;
  const front = await listen((socket) => {
    const back = dial(target.port, target.host).on('error', () => {});
    socket.pipe(back).pipe(socket);
    socket.on('close', () => back.destroy());
    back.on('close', () => socket.destroy());
  });
  onTestFinished(async () => void (await Promise.all([front.stop(), old.stop(), next.stop()])));
  return {
    url: `redis://${front.host}:${front.port}`,
    async swap() {
      await redisCommand(next, 'REPLICAOF', 'NO', 'ONE');
      await redisCommand(old, 'REPLICAOF', next.host, next.port);
      target = next;
    },
  };
}

const refused = { code: 'LOCK_UNAVAILABLE', message: expect.stringContaining('READONLY') as string };

test('our own client leaves a master that became a replica, and finds the next', async () => {
  const { url, swap } = await behindOneAddress();
  const locks = await opened(openLocks(url));
  await locks.withLock('job', () => {});
  await swap();
  await untilAnswered('the next master', () => locks.inspect('job'));
  await locks.withLock('job', () => {});
});

test.each(clients)('a client of the caller does so with reconnectOnError, %s', async (_name, create) => {
  const { url, swap } = await behindOneAddress();
  const client = closeAfterTest(
    create(url, { reconnectOnError: (error: Error) => error.message.includes('READONLY') }),
  );
  const provider = providerOver(client);
  await provider.inspect('job');
  await swap();
  await expect(provider.tryAcquire(claimOf())).rejects.toMatchObject(refused);
  await untilAnswered('the next master', () => provider.inspect('job'));
  expect(await provider.tryAcquire(claimOf())).toMatchObject({ granted: true });
});

test.each(clients)('with minReplicas renewals alone do so, too, %s', async (_name, create) => {
  const { url, swap } = await behindOneAddress();
  const client = closeAfterTest(create(url));
  const provider = providerOver(client, { minReplicas: 1, timeout: 1_000 });
  const claim = claimOf({ ttl: 60_000 });
  await untilAnswered('a grant', () => provider.tryAcquire(claim));
  await swap();
  // The next master counts the old one, once that follows.
  await expect(provider.renew(claim)).rejects.toMatchObject(refused);
  await untilAnswered('the next master', () => provider.renew(claim));
  expect(await provider.renew(claim)).toEqual({});
});

test.each(clients)('without it the old master refuses every call, %s', async (_name, create) => {
  const { url, swap } = await behindOneAddress();
  const client = closeAfterTest(create(url));
  const provider = providerOver(client);
  const claim = claimOf();
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  await swap();
  for (let round = 0; round < 5; round++) {
    await expect(provider.tryAcquire(claimOf())).rejects.toMatchObject(refused);
    await expect(provider.renew(claim)).rejects.toMatchObject(refused);
    await expect(provider.inspect(claim.key)).rejects.toMatchObject(refused);
  }
  await expect(provider.release(claim)).rejects.toMatchObject(refused);
});

test.each(libraries)(
  'what a replica refused has left nothing, so no release follows: a URL that %s opens',
  async (library) => {
    const server = await stopAfterTest(startRedis());
    const locks = await opened(openLocks({ url: server.url, options: { library } }));
    await redisCommand(server, 'REPLICAOF', '127.0.0.1', 1);
    const claims = Array.from({ length: 100 }, (_, index) =>
      locks.acquire(`job-${index}`, { ttl: 60_000, wait: 300 }).catch((error: unknown) => (error as LockError).code),
    );
    expect(new Set(await Promise.all(claims))).toEqual(new Set(['LOCK_UNAVAILABLE']));
    let released = 0;
    const count = (): void => void (released += 1);
    subscribe('locks:withdraw', count);
    onTestFinished(() => void unsubscribe('locks:withdraw', count));
    // Those under way at the end of the wait are refused a moment later.
    await eventually('the last release', async () => {
      released = 0;
      await pause(400);
      return released === 0;
    });
  },
);

const clustered = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];

test.each([
  ['ioredis', 'redis:', []],
  ['iovalkey', 'redis:', []],
  ['ioredis', 'redis+cluster:', clustered],
  ['iovalkey', 'redis+cluster:', clustered],
])('refusals of many calls by a replica end one connection of %s at %s once', async (library, scheme, args) => {
  const server = await stopAfterTest(startRedis({ args }));
  let refusals: Buffer | undefined;
  const proxy = await stopAfterTest(
    startProxy(server, {
      rewrite(piece, way) {
        if (way === 'requests' || refusals === undefined) return piece;
        const replies = refusals;
        refusals = Buffer.alloc(0);
        return replies;
      },
    }),
  );
  if (args.length > 0) {
    await redisCommand(server, 'CONFIG', 'SET', 'cluster-announce-port', proxy.port);
    await redisCommand(server, 'CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  }
  const warnings: string[] = [];
  const hear = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  const locks = await opened(openLocks({ url: `${scheme}//${proxy.host}:${proxy.port}`, options: { library } }));
  await untilAnswered('a lock', () => locks.withLock('job', () => {}));
  await server.pause();
  refusals = Buffer.from("-READONLY You can't write against a read only replica.\r\n".repeat(20));
  const calls: Promise<unknown>[] = [];
  for (let index = 0; index < 20; index++) {
    calls.push(locks.tryAcquire(`job-${index}`));
    await turn();
  }
  await server.resume();
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
  refusals = undefined;
  await untilAnswered('a lock', () => locks.withLock('job', () => {}));
  expect(warnings).toEqual([]);
});
