import { randomUUID } from 'node:crypto';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { openProvider } from '../support/providers.ts';
import { layouts } from '../support/layouts.ts';
import { ownServer } from '../support/servers.ts';
import { ownProxy } from '../support/sessions.ts';

const server = await ownServer({ tickTime: 500 });

test.each(layouts)(
  '$name: where every answer comes late, a hold that was ended by force is noticed all the same',
  async ({ mode, options }) => {
    const root = `/${randomUUID()}`;
    const proxy = await ownProxy(server);
    const [slow, near] = [proxy, server].map((at) => openProvider(at, { root, sessionTimeout: 6_000, ...options }));
    if (slow === undefined || near === undefined) throw new Error('two providers');
    const claim = { key: 'key', owner: randomUUID(), mode, ttl: 10_000 } as const;
    const next = { ...claim, owner: randomUUID(), mode: 'exclusive' } as const;
    expect(await slow.tryAcquire(claim)).toMatchObject({ granted: true });
    // A renewal waits 667 ms.
    const inTime = proxy.delay(750, 'replies');
    expect(await slow.renew(claim)).toMatchObject({ validity: expect.any(Number) as number });
    expect(await near.release(claim)).toBe(true);
    expect(await near.tryAcquire(next)).toMatchObject({ granted: true });

    await eventually('the end of the hold', async () => (await slow.renew(claim)) === false);
    inTime();

    expect(await slow.release(claim)).toBe(false);
    expect(await near.renew(next)).not.toBe(false);
    expect(await near.release(next)).toBe(true);
    expect(await near.inspect('key')).toEqual({ key: 'key', holders: [], waiters: 0 });
    const again = { ...claim, owner: randomUUID() };
    expect(await slow.tryAcquire(again)).toMatchObject({ granted: true });
    expect(await slow.release(again)).toBe(true);
  },
  30_000,
);
