import { createLocks } from '@locks/core';
import { eventually, startProxy } from '@locks/test-servers';
import { createClient } from 'node-zookeeper-client';
import { expect, onTestFinished, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 200, maxSessionTimeout: 60_000 });

test.each(['its own transport', 'node-zookeeper-client'])(
  'what a Locks could not release before it was closed goes while the session lasts, over %s',
  async (over) => {
    await using proxy = await startProxy(server);
    const servers = `127.0.0.1:${proxy.port}`;
    const options =
      over === 'its own transport'
        ? { servers, sessionTimeout: 20_000 }
        : { client: () => createClient(servers, { sessionTimeout: 20_000, spinDelay: 20 }) };
    const shared = createZookeeperProvider({ ...options, acl: 'open', timeout: 500 });
    const direct = createZookeeperProvider({ servers: `127.0.0.1:${server.port}`, acl: 'open' });
    onTestFinished(async () => void (await Promise.all([shared.close(), direct.close()])));
    const [closes, stays, others] = [shared, shared, direct].map((provider) =>
      createLocks(provider, { closeTimeout: 100 }),
    );
    const held = await others!.acquire('waited for');
    await closes!.acquire('held');
    const waits = closes!.acquire('waited for').catch((error: unknown) => error);
    await eventually('it is in the queue', async () => (await others!.inspect('waited for')).waiters === 1);
    // The session goes on for another Locks, and what is left in it.
    const kept = await stays!.acquire('kept');
    const admit = proxy.refuse();
    await proxy.cut();
    await closes!.close();
    expect(await waits).toMatchObject({ code: 'LOCK_CLOSED' });
    const since = performance.now();
    await eventually('each call of before has ended', () => performance.now() - since > 1_500);
    admit();
    await held.release();
    for (const key of ['held', 'waited for']) await (await others!.acquire(key, { wait: 10_000 })).release();
    expect(await kept.release()).toBe(true);
  },
);
