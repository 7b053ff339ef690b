import { openLocks } from '@locks/core';
import { setImmediate as turn } from 'node:timers/promises';
import { eventually, redisCommand, startProxy, startRedis } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { opened, stopAfterTest } from '../support/over.ts';
import { untilAnswered } from '../support/redis.ts';

test.each(['ioredis', 'iovalkey', 'redis'])(
  'a reply to no command ends the connection of %s, and not the process',
  async (library) => {
    const server = await stopAfterTest(startRedis());
    let more = Buffer.alloc(0);
    const proxy = await startProxy(server, {
      rewrite: (piece, way) => (way === 'requests' ? piece : Buffer.concat([piece, more])),
    });
    onTestFinished(() => proxy.stop());
    const locks = await openLocks({ url: proxy.url(server.url), options: { library, timeout: '1s' } });
    onTestFinished(() => locks.close());
    for (const reply of ['$-1\r\n', '*-1\r\n', ':1\r\n', '-ERR other\r\n']) {
      more = Buffer.from(reply.repeat(3));
      await locks.tryAcquire(`before ${reply}`).catch(() => {});
      more = Buffer.alloc(0);
      const lease = await eventually(
        'a lock',
        async () => (await locks.tryAcquire(reply).catch(() => null)) ?? undefined,
      );
      expect(lease.token).toBeGreaterThan(10n ** 12n);
      await lease.release();
    }
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
