import { createLocks } from '@locks/core';
import { eventually, startProxy } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { carriers } from '../support/providers.ts';
import { ownServer, serversOf } from '../support/servers.ts';

const server = await ownServer({ tickTime: 200 });

test.each(carriers)('over %s a lease that an outage took names it', async (over, make) => {
  const proxy = await startProxy(server);
  const provider = await make({ servers: serversOf(proxy), sessionTimeout: 1_000, acl: 'open' });
  const locks = createLocks(provider, { closeTimeout: 0 });
  onTestFinished(async () => {
    await proxy.stop();
    await locks.close();
    await provider.close();
  });
  const lease = await locks.acquire(over);
  const { signal } = lease;
  await proxy.stop();
  await eventually('it is lost', () => signal.aborted);
  // The session or the lease ends first, by some ms.
  expect(signal.reason).toMatchObject({
    code: 'LOCK_LOST',
    message: expect.stringMatching(/see the cause|no server confirmed it in time/) as string,
    cause: { message: expect.stringContaining(`127.0.0.1:${proxy.port}`) as string },
  });
});
