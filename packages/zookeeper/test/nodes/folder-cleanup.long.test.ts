import { randomUUID } from 'node:crypto';
import type { Claim } from '@locks/core';
import { eventually, startProxy } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { claimOf, openSessionProvider, pair } from '../support/providers.ts';
import { layouts } from '../support/layouts.ts';
import { isThere, namesOfClaims, openClient } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

// The server itself removes nothing.
const server = await ownServer({
  tickTime: 1_000,
  javaProperties: { 'znode.container.checkIntervalMs': '86400000' },
});
const witness = await openClient([server], { sessionTimeout: 20_000 });

test.each(layouts)(
  '$name: keys that are used once leave no folders, though the servers remove none',
  async ({ mode, options }) => {
    const root = `/${randomUUID()}`;
    const provider = openSessionProvider(server, { root, ...options }, 500);
    const claims = Array.from({ length: 300 }, () => claimOf(randomUUID(), { mode }));
    await Promise.all(claims.map((claim) => pair(provider, claim)));
    await eventually('the end of the folders', async () => (await namesOfClaims(witness, root)).length === 1);
    expect(await namesOfClaims(witness, root)).toEqual(['@base']);
    const [first] = claims;
    if (first !== undefined) await pair(provider, { ...first, owner: randomUUID() });
  },
);

test('a folder stays while a claim is in it, and while its key is used now and then', async () => {
  const root = '/used';
  const [provider, other] = [
    openSessionProvider(server, { root }, 2_000),
    openSessionProvider(server, { root }, 2_000),
  ];
  const held = claimOf('held');
  const theirs = claimOf('theirs');
  expect(await provider.tryAcquire(held)).toMatchObject({ granted: true });
  await pair(provider, claimOf('theirs'));
  expect(await other.tryAcquire(theirs)).toMatchObject({ granted: true });
  await pair(provider, claimOf('unused'));
  await pair(provider, claimOf('used'));
  await eventually('the end of the unused folder', async () => {
    await pair(provider, claimOf('used'));
    return !(await isThere(witness, `${root}/unused`));
  });
  expect((await namesOfClaims(witness, root)).toSorted()).toEqual(['@base', 'held', 'theirs', 'used']);
  expect(await provider.release(held)).toBe(true);
  expect(await other.release(theirs)).toBe(true);
  await eventually('the end of the folders', async () => !(await isThere(witness, `${root}/held`)));
  // It was in use when its time had come.
  await eventually('the end of the last folder', async () => !(await isThere(witness, `${root}/theirs`)));
});

test.each(layouts)(
  '$name: a claim that was ended by force leaves no folder, whatever tells of it',
  async ({ mode, options }) => {
    const root = `/${randomUUID()}`;
    const open = () => openSessionProvider(server, { root, ...options }, 500);
    const [provider, other] = [open(), open()];
    const notices = [
      async (claim: Claim) => expect(await provider.renew(claim)).toBe(false),
      async (claim: Claim) => expect(await provider.release(claim)).toBe(false),
      (claim: Claim) => pair(provider, claim),
    ];
    for (const [index, notice] of notices.entries()) {
      const claim = claimOf(`key${index}`, { mode });
      expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
      expect(await other.release(claim)).toBe(true);
      await notice(claim);
    }
    await eventually('the end of the folders', async () => (await namesOfClaims(witness, root)).length === 1);
  },
);

test.each(layouts)('$name: a claim whose session was lost leaves no folder', async ({ mode, options }) => {
  const root = `/${randomUUID()}`;
  await using proxy = await startProxy(server);
  const provider = openSessionProvider(proxy, { root, ...options, sessionTimeout: 4_000 }, 500);
  const claim = claimOf('key', { mode });
  const grant = await provider.tryAcquire(claim);
  if (!grant.granted) throw new Error('It was not granted.');
  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('the end of the session', () => grant.lost?.aborted);
  admit();
  expect(await provider.renew(claim)).toBe(false);
  await eventually('the end of the folder', async () => !(await isThere(witness, `${root}/key`)));
});
