import { openLocks } from '@locks/core';
import { startProxy, startRedis } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { stopAfterTest } from '../support/over.ts';

const server = await startRedis();
afterAll(() => server.stop());

test('close() of a store that has fallen silent takes `closeTimeout`, for releases and connections together', async () => {
  const proxy = await stopAfterTest(startProxy(server));
  const closeTimeout = 1_500;
  const locks = await openLocks({ url: proxy.url(server.url), closeTimeout });
  await locks.acquire('close');
  proxy.silence();
  const since = performance.now();
  await locks.close();
  expect(performance.now() - since).toBeLessThan(1.5 * closeTimeout);
});
