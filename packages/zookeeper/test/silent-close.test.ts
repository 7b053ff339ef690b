import { openLocks } from '@locks/core';
import { expect, test } from 'vitest';
import { ownServer } from './support/servers.ts';
import { ownProxy } from './support/sessions.ts';

const server = await ownServer();

test('close() of a store that has fallen silent takes `closeTimeout`, for releases and connections together', async () => {
  const proxy = await ownProxy(server);
  const closeTimeout = 1_500;
  const locks = await openLocks({ url: proxy.url(server.url), closeTimeout, options: { acl: 'open' } });
  await locks.acquire('close');
  proxy.silence();
  const since = performance.now();
  await locks.close();
  expect(performance.now() - since).toBeLessThan(1.5 * closeTimeout);
});
