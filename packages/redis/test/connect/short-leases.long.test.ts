import { openLocks } from '@locks/core';
import { eventually, startProxy, startRedis } from '@locks/test-servers';
import type { Proxy } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { libraries } from '../../src/connect/libraries.ts';
import { ownPrefix } from '../support/redis.ts';

const server = await startRedis();
afterAll(() => server.stop());

const ttl = 4_000;

/** What falls silent, while the next connection would be answered. */
const silences = {
  'connection that was in use': async (proxy: Proxy) => proxy.strand(),
  'new connection, after a cut,': async (proxy: Proxy) => {
    const prompt = proxy.delay(500, 'replies');
    await proxy.cut();
    await eventually('the next connection', () => proxy.clientConnections > 0);
    proxy.strand();
    prompt();
  },
} as const;

const ways = libraries.flatMap((library) =>
  Object.entries(silences).map(([what, fallSilent]) => ({ library, what, fallSilent })),
);

test.concurrent.for(libraries)(
  'a key that rests for a moment more costs no connection whose server is busy for longer, over %s',
  async (library, { onTestFinished: afterwards }) => {
    const proxy = await startProxy(server);
    afterwards(() => proxy.stop());
    const locks = await openLocks({ url: proxy.url(server.url), options: { library, prefix: ownPrefix() }, ttl });
    afterwards(() => locks.close());
    const resting = await locks.acquire('rests', { atLeast: 60 });
    const busy = proxy.delay(40, 'replies');
    afterwards(busy);
    const [released, other] = await Promise.all([resting.release(), locks.tryAcquire('other')]);
    expect(released).toBe(true);
    expect(other?.held).toBe(true);
  },
);

test.concurrent.for(ways)(
  'a lease with a short ttl outlives one $what that is silent, over $library',
  async ({ library, fallSilent }, { onTestFinished: afterwards }) => {
    const proxy = await startProxy(server);
    afterwards(() => proxy.stop());
    const locks = await openLocks({ url: proxy.url(server.url), options: { library, prefix: ownPrefix() }, ttl });
    afterwards(() => locks.close());
    const leases = await Promise.all(['a', 'b', 'c'].map((key) => locks.acquire(key)));
    for (let round = 0; round < 2; round += 1) {
      await fallSilent(proxy);
      await new Promise((resolve) => setTimeout(resolve, 1.5 * ttl));
      expect(leases.map(({ held }) => held)).toEqual([true, true, true]);
    }
  },
);
