import { createLocks } from '@locks/core';
import { eventually } from '@locks/test-servers';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Recipe } from '../../../src/index.ts';
import { multi } from '../../../src/wire/multi.ts';
import { ownFrameProxy } from '../../support/frame-proxy.ts';
import { openProvider } from '../../support/providers.ts';
import { ownServer } from '../../support/servers.ts';
import { namesOfClaims, openClient } from '../../support/sessions.ts';

const server = await ownServer({ tickTime: 500, javaProperties: { 'znode.container.checkIntervalMs': '100' } });
const witness = await openClient([server]);

/**
 * Takes a key that was never used, while its connection is cut instead of the reply to one of the
 * requests.
 */
async function cutAfter(root: string, recipe: Recipe, requests: number): Promise<'served' | 'failed'> {
  const proxy = await ownFrameProxy(server);
  const locks = createLocks(openProvider(proxy, { root, recipe, sessionTimeout: 5_000 }));
  try {
    await (await locks.acquire(randomUUID())).release();
    proxy.cutAfter(requests);
    const lease = await locks.tryAcquire(randomUUID(), { mode: recipe === 'mutex' ? 'exclusive' : 'shared' });
    await lease?.release();
    return 'served';
  } catch (error) {
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    return 'failed';
  } finally {
    await locks.close();
  }
}

test.each(['mutex', 'semaphore'] as const)(
  '%s: whichever request it is that the connection is cut after, no folder stays',
  async (recipe) => {
    const root = `/first-${recipe}`;
    const ends: string[] = [];
    for (let requests = 0; requests < 12; requests += 1) ends.push(await cutAfter(root, recipe, requests));
    expect(new Set(ends)).toEqual(new Set(['failed', 'served']));
    await eventually('the folders are gone', async () => (await namesOfClaims(witness, root)).length === 1);
    expect(await namesOfClaims(witness, root)).toEqual(['@base']);
  },
);

test.each(['mutex', 'semaphore'] as const)('%s: of many claims at once one makes the folder', async (recipe) => {
  const provider = openProvider(server, { root: '/crowd', recipe });
  await provider.connect(10_000);
  const claim = { key: randomUUID(), ttl: 10_000, mode: 'exclusive' } as const;
  const before = await lastTransaction();
  const attempts = Array.from({ length: 50 }, () => provider.tryAcquire({ ...claim, owner: randomUUID() }));
  expect((await Promise.all(attempts)).filter(({ granted }) => granted)).toHaveLength(1);
  // Each claim tries to make its node, and finds no folder. It makes the node, and removes it,
  // except for the holder. Together these are 150 writes. Heartbeats and the folder add a few.
  expect((await lastTransaction()) - before).toBeLessThan(175n);
});

/** Of those that change something and those that fail. */
async function lastTransaction(): Promise<bigint> {
  const { zxid } = await witness.send(multi([{ type: 'check', path: '/' }]));
  return zxid;
}
