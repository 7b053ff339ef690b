import type { Claim } from '@locks/core';
import { startProxy } from '@locks/test-servers';
import { expect, test } from 'vitest';
import type { SessionProvider } from '../../src/provider.ts';
import { remove } from '../../src/wire/requests.ts';
import { claimOf, openSessionProvider } from '../support/providers.ts';
import { namesOfClaims, openClient } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 200 });
const witness = await openClient([server]);

const root = '/plain';

async function open(at: { readonly host: string; readonly port: number } = server): Promise<SessionProvider> {
  const provider = openSessionProvider(at, { root, fair: false });
  await provider.connect(10_000);
  return provider;
}

test.each(['of the holder itself', 'by force'] as const)(
  'a release (%s) that looked before the hold ended, and acts after, leaves the next holder alone',
  async (whose) => {
    const near = await open();
    await using proxy = await startProxy(server);
    const far = await open(proxy);
    const [held, next] = [claimOf(whose), claimOf(whose)];
    const holder = whose === 'by force' ? near : far;
    expect(await holder.tryAcquire(held)).toMatchObject({ granted: true });
    const inTime = proxy.delay(300, 'replies');
    // It reads that the node is there, and hears so later.
    const late = far.release(held);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await near.release(held)).toBe(true);
    expect(await near.tryAcquire(next)).toMatchObject({ granted: true });
    expect(await late).toBe(false);
    inTime();
    expect(await near.renew(next)).not.toBe(false);
    expect(await far.tryAcquire(claimOf(whose))).toMatchObject({ granted: false });
    expect(await near.release(next)).toBe(true);
    expect(await namesOfClaims(witness, root)).toEqual(['@base']);
  },
);

test('a node that a user removes by hand ends the hold, and leaves nothing', async () => {
  const [one, other] = [await open(), await open()];
  const byHand = (): Promise<unknown> =>
    other.inSession((session) => session.send(remove(`${root}/by hand`)), 'a removal', 'by hand');
  const notices = [
    (held: Claim) => one.renew(held),
    (held: Claim) => one.release(held),
    async (held: Claim) => (await one.tryAcquire(held)).granted,
  ];
  for (const notice of notices) {
    const [held, next] = [claimOf('by hand'), claimOf('by hand')];
    expect(await one.tryAcquire(held)).toMatchObject({ granted: true });
    await byHand();
    expect(await other.tryAcquire(next)).toMatchObject({ granted: true });
    expect(await notice(held)).toBe(false);
    expect(await one.release(held)).toBe(false);
    expect(await other.renew(next)).not.toBe(false);
    expect(await other.release(next)).toBe(true);
    expect(await one.tryAcquire(held)).toMatchObject({ granted: true });
    expect(await one.release(held)).toBe(true);
  }
  expect(await namesOfClaims(witness, root)).toEqual(['@base']);
});
