import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createLocks, openLocks } from '@locks/core';
import { unusedPort } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';

test('a call without a connection names the host and the reason', async () => {
  const address = `127.0.0.1:${await unusedPort()}`;
  const provider = createZookeeperProvider({ servers: address, acl: 'open', timeout: 2_000 });
  const error: unknown = await provider.inspect('key').catch((cause: unknown) => cause);
  await provider.close();
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { name: 'ConnectError' } });
  expect((error as Error).message).toContain(address);
  expect((error as Error).message).toContain('ECONNREFUSED');
});

test('openLocks names the host and the reason', async () => {
  const address = `127.0.0.1:${await unusedPort()}`;
  const opening = openLocks(`zookeeper://${address}?acl=open&connectTimeout=2000`);
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
  const provider = createZookeeperProvider({ servers: `127.0.0.1:${await unusedPort()}`, acl: 'open' });
  const locks = createLocks(provider);
  const error = await locks.acquire('key', { wait: 500 }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { name: 'ConnectError', cause: { code: 'ECONNREFUSED' } },
  });
  await provider.close();
  await locks.close();
});
