import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createLocks } from '@locks/core';
import { expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('a wait that ends before the timeout of the provider says why there is no connection', async () => {
  const provider = createZookeeperProvider({ servers: `127.0.0.1:${await closedPort()}`, acl: 'open' });
  const locks = createLocks(provider);
  const error = await locks.acquire('key', { wait: 500 }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { name: 'ConnectError', cause: { code: 'ECONNREFUSED' } },
  });
  await provider.close();
  await locks.close();
});
