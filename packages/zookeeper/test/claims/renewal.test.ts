import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openProvider } from '../support/providers.ts';
import { ownFrameProxy } from '../support/frame-proxy.ts';
import { requestsOf } from '../support/counts.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500 });

test.each(['mutex', 'read-write', 'semaphore'] as const)(
  '%s: a renewal that looks for the node which a downgrade has just replaced does not end the hold',
  async (recipe) => {
    const proxy = await ownFrameProxy(server);
    const provider = openProvider(proxy, { recipe });
    const claim = { key: randomUUID(), owner: randomUUID(), mode: 'exclusive', ttl: 10_000 } as const;
    const shared = { ...claim, mode: 'shared' } as const;
    expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });

    const request = proxy.hold(recipe === 'read-write' ? '__READ__' : '-shared-');
    const downgrade = provider.tryAcquire(shared);
    await request.held;
    const renewal = provider.renew(claim);
    request.letGo();

    expect(await downgrade).toMatchObject({ granted: true });
    expect(await renewal).not.toBe(false);
    expect(await provider.renew(shared)).not.toBe(false);
    expect(await provider.release(shared)).toBe(true);
  },
);

test('renewals of one tick share a sync', async () => {
  const provider = openProvider(server);
  const claims = Array.from({ length: 30 }, () => ({
    key: randomUUID(),
    owner: randomUUID(),
    mode: 'exclusive' as const,
    ttl: 10_000,
  }));
  const answers = await Promise.all(claims.map((claim) => provider.tryAcquire(claim)));
  expect(answers.every(({ granted }) => granted)).toBe(true);
  // As renewals find it: the connection was quiet.
  await new Promise((resolve) => setTimeout(resolve, 150));
  const requests = await requestsOf(server, async () => {
    const renewals = await Promise.all(claims.map((claim) => provider.renew(claim)));
    expect(renewals).not.toContain(false);
  });
  // A read for each of them, one sync, and what the session sends meanwhile.
  expect(requests).toBeLessThan(40);
  expect(requests).toBeGreaterThan(30);
});
