import { randomUUID } from 'node:crypto';
import { eventually } from '@locks/test-servers';
import type { Claim } from '@locks/core';
import { afterAll, describe, expect, test } from 'vitest';
import { createZookeeperProvider } from '../../../src/index.ts';
import { getChildren, remove } from '../../../src/wire/requests.ts';
import { serverOptions } from '../../support/backends.ts';
import { ownFrameProxy } from '../../support/frame-proxy.ts';
import { claimOf, openProvider, pair } from '../../support/providers.ts';
import { requestsOf } from '../../support/counts.ts';
import { isThere, makeNode, openClient, valueOf } from '../../support/sessions.ts';
import { ownServer } from '../../support/servers.ts';

// Folders stay until a test removes them.
const server = await ownServer({ ...serverOptions, javaProperties: {} });
const servers = `${server.host}:${server.port}`;
const provider = createZookeeperProvider({ servers, acl: 'open' });
const other = createZookeeperProvider({ servers, acl: 'open' });
afterAll(() => Promise.all([provider.close(), other.close()]));

/** A client that keeps to no rule. */
const stranger = await openClient([server]);

/** So often that the next pair needs no list. */
async function usedKey(): Promise<{ readonly key: string; readonly folder: string }> {
  const key = randomUUID();
  for (let time = 0; time < 3; time += 1) await pair(provider, claimOf(key));
  return { key, folder: `/locks/${key}` };
}

/** The nodes in the queue, without the folder, first come first. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const { children } = valueOf(await stranger.send(getChildren(folder)));
  return children.toSorted((one, another) => Number(one.slice(-10)) - Number(another.slice(-10)));
}

async function removeNode(path: string): Promise<void> {
  valueOf(await stranger.send(remove(path)));
}

describe('a key that this process uses alone', () => {
  test('takes two requests each time, and pings', async () => {
    const { key } = await usedKey();
    const requests = await requestsOf(server, async () => {
      for (let time = 0; time < 50; time += 1) await pair(provider, claimOf(key));
    });
    expect(requests / 50).toBeGreaterThanOrEqual(2);
    expect(requests / 50).toBeLessThan(2.5);
  });

  test('a new folder counts anew: the number that was next means nothing there', async () => {
    const { key, folder } = await usedKey();
    await removeNode(folder);
    await makeNode(stranger, folder, 'persistent');
    // Numbers 0 to 2, of which the first stays: the next is 3, as it would have been in the old
    // folder.
    const first = await makeNode(stranger, `${folder}/them-lock-`, 'ephemeral-sequential');
    for (let time = 0; time < 2; time += 1)
      await removeNode(await makeNode(stranger, `${folder}/them-lock-`, 'ephemeral-sequential'));
    const ours = claimOf(key);
    expect(await provider.tryAcquire(ours)).toMatchObject({ granted: false });
    await removeNode(first);
    await pair(provider, claimOf(key));
  });

  test('a hold whose node another client has removed leaves nothing behind', async () => {
    const { key, folder } = await usedKey();
    const ours = claimOf(key);
    expect(await provider.tryAcquire(ours)).toMatchObject({ granted: true });
    await removeNode(`${folder}/${(await namesIn(folder))[0]}`);
    expect(await provider.renew(ours)).toBe(false);
    await pair(provider, claimOf(key));
    const requests = await requestsOf(server, async () => {
      for (let time = 0; time < 50; time += 1) await pair(provider, claimOf(key));
    });
    expect(requests / 50).toBeLessThan(2.5);
  });
});

/** One that waits, and is asked for again when it is woken. */
function waiting(claim: Claim): { granted(): boolean; readonly held: Promise<void> } {
  let granted = false;
  const held = new Promise<void>((resolve, reject) => {
    const attempt = (): void => {
      provider.tryAcquire(claim, attempt).then((answer) => {
        if (!answer.granted) return;
        granted = true;
        resolve();
      }, reject);
    };
    attempt();
  });
  return { granted: () => granted, held };
}

describe('those of one process that wait', () => {
  test('are served in turn, with four requests each', async () => {
    const key = randomUUID();
    const held = claimOf(key);
    expect(await provider.tryAcquire(held)).toMatchObject({ granted: true });
    const claims = Array.from({ length: 30 }, () => claimOf(key));
    const order: string[] = [];
    const requests = await requestsOf(server, async () => {
      const all = claims.map(async (claim) => {
        await waiting(claim).held;
        order.push(claim.owner);
        await provider.release(claim);
      });
      await eventually('all are in the queue', async () => (await namesIn(`/locks/${key}`)).length === 31);
      await provider.release(held);
      await Promise.all(all);
    });
    expect(order).toEqual(claims.map(({ owner }) => owner));
    expect(requests / 30).toBeLessThan(6);
  });

  test('a sharer that comes to a holder of its process reads the queue in the flight of its node', async () => {
    const proxy = await ownFrameProxy(server);
    const behindProxy = openProvider(proxy);
    const holder = claimOf(randomUUID());
    expect(await behindProxy.tryAcquire(holder)).toMatchObject({ granted: true });
    const request = proxy.hold('-shared-lock-');
    const attempt = behindProxy.tryAcquire(claimOf(holder.key, { mode: 'shared' }), () => {});
    await request.held;
    const list = 12;
    await eventually('the request for the queue', () => request.behind.includes(list));
    request.letGo();
    expect(await attempt).toMatchObject({ granted: false });
    expect(await behindProxy.release(holder)).toBe(true);
  });

  test('one whose node another client has removed does not hold without one', async () => {
    const key = randomUUID();
    const [first, second, third] = [claimOf(key), claimOf(key), claimOf(key)];
    expect(await provider.tryAcquire(first)).toMatchObject({ granted: true });
    const [two, three] = [waiting(second), waiting(third)];
    await eventually('all are in the queue', async () => (await namesIn(`/locks/${key}`)).length === 3);
    const [, name] = await namesIn(`/locks/${key}`);
    await removeNode(`/locks/${key}/${name}`);
    await provider.release(first);
    await three.held;
    expect(two.granted()).toBe(false);
    expect((await other.inspect(key)).holders).toMatchObject([{ owner: third.owner }]);
    await provider.release(third);
    await two.held;
    expect((await other.inspect(key)).holders).toMatchObject([{ owner: second.owner }]);
    await provider.release(second);
    expect(await isThere(stranger, `/locks/${key}`)).toBe(true);
  });

  test('one that waits for a node of its own process is told when another client removes that', async () => {
    const key = randomUUID();
    const [first, second] = [claimOf(key), claimOf(key)];
    expect(await provider.tryAcquire(first)).toMatchObject({ granted: true });
    const two = waiting(second);
    await eventually('all are in the queue', async () => (await namesIn(`/locks/${key}`)).length === 2);
    const [name] = await namesIn(`/locks/${key}`);
    await removeNode(`/locks/${key}/${name}`);
    await two.held;
    expect(await provider.release(first)).toBe(false);
    await provider.release(second);
  });
});
