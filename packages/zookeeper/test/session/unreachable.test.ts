import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createLocks, openLocks } from '@locks/core';
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

test('a call without a connection names the host and the reason', async () => {
  const address = `127.0.0.1:${await closedPort()}`;
  const provider = createZookeeperProvider({ servers: address, acl: 'open', timeout: 300 });
  const error: unknown = await provider.inspect('key').catch((cause: unknown) => cause);
  await provider.close();
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { name: 'ConnectError' } });
  expect((error as Error).message).toContain(address);
  expect((error as Error).message).toContain('ECONNREFUSED');
});

test('openLocks names the host and the reason', async () => {
  const address = `127.0.0.1:${await closedPort()}`;
  const opening = openLocks(`zookeeper://${address}?acl=open&connectTimeout=300`);
  await expect(opening).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  const error = (await opening.catch((cause: unknown) => cause)) as Error;
  expect(error.message).toContain(address);
  expect(error.message).toContain('ECONNREFUSED');
});

test('a call that a server does not answer names the server', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const provider = createZookeeperProvider({ servers: address, acl: 'open', timeout: 300 });
  const error: unknown = await provider.inspect('key').catch((cause: unknown) => cause);
  await provider.close();
  silent.close();
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect((error as Error).message).toContain(address);
});

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
