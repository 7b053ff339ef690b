import { createLocks } from '@locks/core';
import { startRedis, startRedisCluster } from '@locks/test-servers';
import { Cluster } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { clients } from '../support/redis.ts';

const [server, cluster] = await Promise.all([startRedis(), startRedisCluster()]);
afterAll(() => Promise.all([server.stop(), cluster.stop()]));

/** How long `close` may take that finds the client closed, in ms: much less than `closeTimeout`. */
const atOnce = 1_000;

type Closed = Parameters<typeof createRedisProvider>[0] & { quit(): Promise<unknown>; disconnect(): void };

const ends: readonly (readonly [string, (client: Closed) => unknown])[] = [
  ['quit()', (client) => client.quit()],
  ['quit(), under way', (client) => void client.quit()],
  ['disconnect()', (client) => client.disconnect()],
];

async function closesAtOnce(client: Closed, end: (client: Closed) => unknown): Promise<void> {
  const provider = createRedisProvider(client);
  const locks = createLocks(provider);
  onTestFinished(() => provider.close());
  await locks.acquire(expect.getState().currentTestName ?? '');
  await end(client);
  const since = performance.now();
  await locks.close();
  expect(performance.now() - since).toBeLessThan(atOnce);
  await expect(provider.inspect('job')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
}

for (const [name, create] of clients) {
  test.each(ends)(`${name}: close() is done at once after the client's %s`, async (_name, end) => {
    await closesAtOnce(create(server.url), end);
  });
}

test.each(ends)(`a Cluster: close() is done at once after the client's %s`, async (_name, end) => {
  await closesAtOnce(new Cluster(cluster.nodes.map(({ host, port }) => ({ host, port }))), end);
});
