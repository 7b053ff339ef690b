import { openLocks } from '@locks/core';
import { eventually, startProxy, startRedis } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { stopAfterTest } from '../support/over.ts';

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
