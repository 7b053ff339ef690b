import { createLocks, openLocks } from '@locks/core';
import { unusedPort } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { startFakeServer } from '../support/fake-server.ts';
import { openProvider } from '../support/providers.ts';
import { unavailable } from '../../../core/test/support/lock-error.ts';

const unused = async (): Promise<{ readonly host: string; readonly port: number }> => ({
  host: '127.0.0.1',
  port: await unusedPort(),
});

test('a call without a connection names the host and the reason', async () => {
  const place = await unused();
  const error: unknown = await openProvider(place, { timeout: 2_000 })
    .inspect('key')
    .catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { name: 'ConnectError' } });
  expect((error as Error).message).toMatch(new RegExp(`127.0.0.1:${place.port}.*ECONNREFUSED`));
});

test('so does openLocks', async () => {
  const { port } = await unused();
  await expect(openLocks(`zookeeper://127.0.0.1:${port}?acl=open&connectTimeout=2000`)).rejects.toMatchObject(
    unavailable(new RegExp(`127.0.0.1:${port}.*ECONNREFUSED`)),
  );
});

test('a call that a server does not answer names the server', async () => {
  await using silent = await startFakeServer();
  await expect(openProvider(silent.address, { timeout: 300 }).inspect('key')).rejects.toMatchObject(
    unavailable(`127.0.0.1:${silent.address.port}`),
  );
});

test('a wait that ends before the timeout of the provider says why there is no connection', async () => {
  const locks = createLocks(openProvider(await unused()));
  await expect(locks.acquire('key', { wait: 500 })).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { name: 'ConnectError', cause: { code: 'ECONNREFUSED' } },
  });
});
