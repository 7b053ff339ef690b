import { createLocks } from '@locks/core';
import { eventually, startZookeeper } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createZookeeperProvider } from '../../../src/index.ts';
import type { Recipe } from '../../../src/index.ts';
import type { Session } from '../../../src/session/session.ts';
import { multi } from '../../../src/wire/multi.ts';
import { getChildren } from '../../../src/wire/requests.ts';
import { startFrameProxy } from '../../support/frame-proxy.ts';
import { Opened, isOfClaims, valueOf } from '../../support/sessions.ts';

let server: ServerHandle;
const opened: Opened = new Opened();
let witness: Session;

beforeAll(async () => {
  server = await startZookeeper({ tickTime: 500, javaProperties: { 'znode.container.checkIntervalMs': '100' } });
  witness = await opened.sessions([server]).ready(10_000);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await server.stop();
});

async function below(root: string): Promise<readonly string[]> {
  const { children } = valueOf(await witness.send(getChildren(root)));
  return children.filter(isOfClaims);
}

/**
 * Takes a key that was never used, while its connection is cut instead of the reply to one of the
 * requests.
 */
async function cutAfter(root: string, recipe: Recipe, requests: number): Promise<'served' | 'failed'> {
  const proxy = await startFrameProxy(server);
  const servers = `${proxy.host}:${proxy.port}`;
  const locks = createLocks(createZookeeperProvider({ servers, root, acl: 'open', recipe, sessionTimeout: 5_000 }));
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
    await proxy.stop();
  }
}

test.each(['mutex', 'semaphore'] as const)(
  '%s: whichever request it is that the connection is cut after, no folder stays',
  async (recipe) => {
    const root = `/first-${recipe}`;
    const ends: string[] = [];
    for (let requests = 0; requests < 12; requests += 1) ends.push(await cutAfter(root, recipe, requests));
    expect(new Set(ends)).toEqual(new Set(['failed', 'served']));
    await eventually('the folders are gone', async () => (await below(root)).length === 1);
    expect(await below(root)).toEqual(['@base']);
  },
);

test.each(['mutex', 'semaphore'] as const)('%s: of many claims at once one makes the folder', async (recipe) => {
  const provider = createZookeeperProvider({
    servers: `${server.host}:${server.port}`,
    root: '/crowd',
    acl: 'open',
    recipe,
  });
  try {
    await provider.connect(10_000);
    const key = randomUUID();
    const claims = Array.from(
      { length: 50 },
      () => ({ key, owner: randomUUID(), ttl: 10_000, mode: 'exclusive' }) as const,
    );
    const before = await lastTransaction();
    const answers = await Promise.all(claims.map((claim) => provider.tryAcquire(claim)));
    expect(answers.filter(({ granted }) => granted)).toHaveLength(1);
    // Each claim tries to make its node, and finds no folder. It makes the node, and removes it,
    // except for the holder. Together these are 150 writes. Heartbeats and the folder add a few.
    expect((await lastTransaction()) - before).toBeLessThan(175n);
  } finally {
    await provider.close();
  }
});

/** Of those that change something and those that fail. */
async function lastTransaction(): Promise<bigint> {
  const { zxid } = await witness.send(multi([{ type: 'check', path: '/' }]));
  return zxid;
}
