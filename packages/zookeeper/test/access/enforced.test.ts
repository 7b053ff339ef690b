import { expect, test } from 'vitest';
import { ownLocks } from '../support/providers.ts';
import { ownServer } from '../support/servers.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const server = await ownServer({
  tickTime: 500,
  config: { 'enforce.auth.enabled': 'true', 'enforce.auth.schemes': 'digest' },
});

test('a server that enforces authentication is told as a wrong configuration', async () => {
  const locks = ownLocks(server);
  const begun = performance.now();
  await expect(locks.acquire('job')).rejects.toMatchObject(misconfigured('option "auth"'));
  expect(performance.now() - begun).toBeLessThan(3_000);
  const own = ownLocks(server, { acl: undefined, username: 'alice', password: 'her own' });
  expect((await own.acquire('job')).held).toBe(true);
});
