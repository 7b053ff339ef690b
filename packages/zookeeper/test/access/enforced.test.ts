import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({
  tickTime: 500,
  config: { 'enforce.auth.enabled': 'true', 'enforce.auth.schemes': 'digest' },
});

test('a server that enforces authentication is told as a wrong configuration', async () => {
  const servers = `${server.host}:${server.port}`;
  const locks = createLocks(createZookeeperProvider({ servers, acl: 'open' }), { closeProvider: true });
  onTestFinished(() => locks.close());
  const begun = performance.now();
  await expect(locks.acquire('job')).rejects.toMatchObject({
    code: 'LOCK_MISCONFIGURED',
    message: expect.stringContaining('option "auth"') as string,
  });
  expect(performance.now() - begun).toBeLessThan(3_000);
  const known = createZookeeperProvider({ servers, username: 'alice', password: 'her own' });
  const own = createLocks(known, { closeProvider: true });
  onTestFinished(() => own.close());
  expect((await own.acquire('job')).held).toBe(true);
});
