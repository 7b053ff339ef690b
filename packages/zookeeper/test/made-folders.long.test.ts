import { randomUUID } from 'node:crypto';
import type { Claim } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { startProxy, startZookeeper } from '@locks/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { assembleProvider } from '../src/create-provider.ts';
import type { Recipe } from '../src/index.ts';
import { readZookeeperOptions } from '../src/options.ts';
import type { ZookeeperProviderOptions } from '../src/options.ts';
import type { ZookeeperProvider } from '../src/provider.ts';
import type { Generation } from '../src/session/generation.ts';
import { getChildren } from '../src/wire/requests.ts';
import { Opened, isThere, valueOf } from './support/sessions.ts';
import { eventually } from './support/waiting.ts';

// The server itself removes nothing.
const server = await startZookeeper({
  tickTime: 1_000,
  javaProperties: { 'zookeeper.forceSync': 'no', 'znode.container.checkIntervalMs': '86400000' },
});
afterAll(() => server.stop());
const opened = new Opened();
afterAll(() => opened[Symbol.asyncDispose]());
let witness: Generation;
beforeAll(async () => {
  witness = await opened.session([server]).ready(10_000);
});

/** Folders go that are not used for `idle` ms. */
function newProvider(
  root: string,
  recipe: Recipe,
  idle: number,
  more: Partial<ZookeeperProviderOptions> = {},
): ZookeeperProvider {
  const servers = `${server.host}:${server.port}`;
  const options = readZookeeperOptions({ servers, root, recipe, acl: 'open', ...more });
  const provider = assembleProvider(options, systemRuntime, idle);
  onTestFinished(() => provider.close());
  return provider;
}

async function below(path: string): Promise<readonly string[]> {
  return valueOf(await witness.send(getChildren(path))).children;
}

function claimOf(key: string, more: Partial<Claim> = {}): Claim {
  return { key, owner: randomUUID(), mode: 'exclusive', ttl: 10_000, ...more };
}

async function pair(provider: ZookeeperProvider, claim: Claim): Promise<void> {
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  expect(await provider.release(claim)).toBe(true);
}

test.each(['mutex', 'read-write', 'semaphore'] as const)(
  '%s: keys that are used once leave no folders, though the servers remove none',
  async (recipe) => {
    const root = `/once-${recipe}`;
    const provider = newProvider(root, recipe, 500);
    const mode = recipe === 'semaphore' ? ({ mode: 'shared', permits: 2 } as const) : {};
    const claims = Array.from({ length: 300 }, () => claimOf(randomUUID(), mode));
    await Promise.all(claims.map((claim) => pair(provider, claim)));
    await eventually('the end of the folders', async () => (await below(root)).length === 1);
    expect(await below(root)).toEqual(['@base']);
    const [first] = claims;
    if (first !== undefined) await pair(provider, { ...first, owner: randomUUID() });
  },
);

test('a folder stays while a claim is in it, and while its key is used now and then', async () => {
  const root = '/used';
  const [provider, other] = [newProvider(root, 'mutex', 2_000), newProvider(root, 'mutex', 2_000)];
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
  expect((await below(root)).toSorted()).toEqual(['@base', 'held', 'theirs', 'used']);
  expect(await provider.release(held)).toBe(true);
  expect(await other.release(theirs)).toBe(true);
  await eventually('the end of the folders', async () => !(await isThere(witness, `${root}/held`)));
  // It was in use when its time had come.
  await eventually('the end of the last folder', async () => !(await isThere(witness, `${root}/theirs`)));
});

test.each(['mutex', 'semaphore'] as const)(
  '%s: a claim that was ended by force leaves no folder, whatever tells of it',
  async (recipe) => {
    const root = `/by-force-${recipe}`;
    const [provider, other] = [newProvider(root, recipe, 500), newProvider(root, recipe, 500)];
    const notices = [
      async (claim: Claim) => expect(await provider.renew(claim)).toBe(false),
      async (claim: Claim) => expect(await provider.release(claim)).toBe(false),
      (claim: Claim) => pair(provider, claim),
    ];
    for (const [index, notice] of notices.entries()) {
      const claim = claimOf(`key${index}`);
      expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
      expect(await other.release(claim)).toBe(true);
      await notice(claim);
    }
    await eventually('the end of the folders', async () => (await below(root)).length === 1);
  },
);

test.each(['mutex', 'semaphore'] as const)('%s: a claim whose session was lost leaves no folder', async (recipe) => {
  const root = `/lost-${recipe}`;
  await using proxy = await startProxy(server);
  const provider = newProvider(root, recipe, 500, { servers: `${proxy.host}:${proxy.port}`, sessionTimeout: 4_000 });
  const claim = claimOf('key');
  const grant = await provider.tryAcquire(claim);
  if (!grant.granted) throw new Error('It was not granted.');
  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('the end of the session', () => grant.lost?.aborted);
  admit();
  expect(await provider.renew(claim)).toBe(false);
  await eventually('the end of the folder', async () => !(await isThere(witness, `${root}/key`)));
});
