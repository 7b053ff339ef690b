import { isLockError, openLocks } from '@locks/core';
import { redisCommand, selfSigned, startRedis, startRedisCluster, startRedisSentinel } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { describe, onTestFinished, test } from 'vitest';
import { otherSelfSigned } from '../support/other-self-signed.ts';
import { eventually } from '../support/redis.ts';
import { startTlsFront } from '../support/tls.ts';

interface Deployed {
  readonly servers: readonly ServerHandle[];
  /** The URL, with a user. */
  readonly urlOf: (user: string) => string;
}

const deployments: readonly (readonly [name: string, start: () => Promise<Deployed>])[] = [
  [
    'one server',
    async () => {
      const server = await startRedis();
      onTestFinished(() => server.stop());
      return { servers: [server], urlOf: (user) => server.url.replace('://', `://${user}@`) };
    },
  ],
  [
    'Sentinels',
    async () => {
      const set = await startRedisSentinel();
      onTestFinished(() => set.stop());
      return { servers: set.servers, urlOf: (user) => set.url.replace('://', `://${user}@`) };
    },
  ],
  [
    'a Cluster',
    async () => {
      const cluster = await startRedisCluster({ replicas: 0 });
      onTestFinished(() => cluster.stop());
      const hosts = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',');
      return { servers: cluster.nodes, urlOf: (user) => `redis+cluster://${user}@${hosts}` };
    },
  ],
];

/** What an operator does with `ACL`. */
const changes = [
  ['a rotated password', ['SETUSER', 'locker', 'resetpass', '>new']],
  ['a user that is deleted', ['DELUSER', 'locker']],
  ['a user that is off', ['SETUSER', 'locker', 'off']],
] as const;

describe.each(deployments)('%s', (_deployment, start) => {
  test.each(changes)('%s: calls hear the words of the server', async (_change, command) => {
    const { servers, urlOf } = await start();
    const everywhere = (name: string, ...args: readonly string[]): Promise<unknown> =>
      Promise.all(servers.map((server) => redisCommand(server, name, ...args)));
    await everywhere('ACL', 'SETUSER', 'locker', 'on', '>old', '~*', '&*', '+@all');
    const locks = await openLocks(urlOf('locker:old'));
    onTestFinished(() => locks.close());
    await (await locks.acquire('before')).release();
    await everywhere('ACL', ...command);
    await everywhere('CLIENT', 'KILL', 'USER', 'locker').catch(() => {});
    // Until the next connection is refused, no reason is known.
    await eventually('the words of the server', async () => {
      const failure: unknown = await locks.tryAcquire('job').catch((error: unknown) => error);
      return isLockError(failure, 'LOCK_MISCONFIGURED') && failure.message.includes('WRONGPASS');
    });
  });
});

test('a certificate that is renewed by one that is not trusted: calls hear why', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const front = await startTlsFront(server);
  const locks = await openLocks({ url: `rediss://127.0.0.1:${front.port}`, options: { tls: { ca: selfSigned.cert } } });
  onTestFinished(() => locks.close());
  await (await locks.acquire('before')).release();
  front.renew(otherSelfSigned);
  await eventually('the reason', async () => {
    const failure: unknown = await locks.tryAcquire('job').catch((error: unknown) => error);
    return isLockError(failure, 'LOCK_MISCONFIGURED') && failure.message.includes('self-signed certificate');
  });
});
