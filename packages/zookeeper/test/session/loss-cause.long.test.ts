import { createLocks } from '@locks/core';
import { eventually, startProxy } from '@locks/test-servers';
import { createClient } from 'node-zookeeper-client';
import { expect, onTestFinished, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 200 });

test.each(['its own transport', 'node-zookeeper-client'])(
  'a lease that an outage took names it over %s',
  async (over) => {
    const proxy = await startProxy(server);
    const servers = `127.0.0.1:${proxy.port}`;
    const options =
      over === 'its own transport'
        ? { servers, sessionTimeout: 1_000 }
        : { client: () => createClient(servers, { sessionTimeout: 1_000, spinDelay: 20 }) };
    const provider = createZookeeperProvider({ ...options, acl: 'open' });
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
    expect(signal.reason).toMatchObject({
      code: 'LOCK_LOST',
      message: expect.stringContaining('see the cause') as string,
      cause: { message: expect.stringContaining(`127.0.0.1:${proxy.port}`) as string },
    });
  },
);
