import { createLocks } from '@locks/core';
import { eventually, startProxy } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { carriers, openProvider } from '../support/providers.ts';
import { ownServer, serversOf } from '../support/servers.ts';

const server = await ownServer({ tickTime: 200, maxSessionTimeout: 60_000 });

test.each(carriers)(
  'over %s what a Locks could not release before it was closed goes while the session lasts',
  async (_, make) => {
    await using proxy = await startProxy(server);
    const options = { servers: serversOf(proxy), sessionTimeout: 20_000, acl: 'open', timeout: 500 } as const;
    const shared = await make(options);
    onTestFinished(() => shared.close());
    const direct = openProvider(server);
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
