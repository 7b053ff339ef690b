import { setTimeout as sleep } from 'node:timers/promises';
import { changeQuorum, combine } from '@locks/composites';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { startProxy, startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { eventually, ownPrefix } from '../support/redis.ts';
import { stopAfterTest } from '../support/over.ts';

const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
afterAll(() => Promise.all(servers.map((server) => server.stop())));

const ttl = 3_000;

/** The locks of a process: of one server alone, or of a quorum of several. */
function open(prefix: string, urls: readonly string[]): Locks {
  const clients = urls.map((url) => new Redis(url).on('error', () => {}));
  onTestFinished(() => clients.forEach((client) => client.disconnect()));
  const [first, ...others] = clients.map((client) => createRedisProvider(client, { prefix, timeout: 500 }));
  if (first === undefined) throw new Error('a process needs a server');
  return createLocks(others.length === 0 ? first : combine([first, ...others]), { ttl, closeProvider: true });
}

/** What `locks quorum change` does. */
async function change(prefix: string, urls: readonly string[]): Promise<unknown> {
  const clients = urls.map((url) => new Redis(url));
  const answer = await changeQuorum(clients.map((client) => createRedisProvider(client, { prefix })));
  for (const client of clients) client.disconnect();
  return answer;
}

/** A process that takes two keys again and again, until it is stopped. */
function run(name: string, locks: Locks, history: ReturnType<typeof createHistory>): () => Promise<number> {
  let stopped = false;
  let grants = 0;
  const flow = async (): Promise<void> => {
    for (let round = 0; !stopped; round += 1) {
      const lease = await locks.acquire(round % 2 === 0 ? 'even' : 'odd');
      history.granted(name, lease);
      grants += 1;
      if (round % 5 === 0) await sleep(2);
      expect(await history.release(lease)).toBe(true);
    }
  };
  const flows = [flow(), flow()];
  return async () => {
    stopped = true;
    await Promise.all(flows);
    await locks.close();
    return grants;
  };
}

const steps = [1, 2, 3] as const;

describe('one server becomes a quorum of three', () => {
  test.each([
    ['forward', steps],
    ['back', steps.toReversed()],
  ])('%s, by two deploys, under load', { timeout: 60_000 }, async (_way, counts) => {
    const prefix = ownPrefix();
    const urls = servers.map(({ url }) => url);
    const history = createHistory(() => performance.now());
    const start = (name: string, count: number): (() => Promise<number>) =>
      run(name, open(prefix, urls.slice(0, count)), history);
    const fleet = [0, 1, 2].map((process) => start(`${process} of step ${counts[0]}`, counts[0] ?? 1));
    // Held in all steps by the process that began first.
    const leader = open(prefix, urls.slice(0, counts[0]));
    const lease = await leader.acquire('leader');
    for (const [index, count] of counts.entries()) {
      if (index === 0) continue;
      // Two stores that follow a plain one are a first quorum, and one is none.
      if (count === (counts[0] === 1 ? 3 : 2)) {
        if (count === 3) {
          expect(await change(prefix, urls)).toMatchObject({ done: false, left: [{ key: 'leader' }] });
          expect(await lease.release()).toBe(true);
        }
        const isDone = async (): Promise<boolean> =>
          ((await change(prefix, urls.slice(0, count))) as { readonly done: boolean }).done;
        await eventually('nothing is left', isDone, 20_000);
      }
      for (const [process, stop] of fleet.entries()) {
        await sleep(150);
        fleet[process] = start(`${process} of step ${count}`, count);
        expect(await stop()).toBeGreaterThan(0);
      }
      const newcomer = open(prefix, urls.slice(0, count));
      if (lease.held) expect(await newcomer.tryAcquire('leader')).toBe(null);
      await newcomer.close();
    }
    await sleep(150);
    expect(lease.held).toBe(counts[0] === 3);
    await leader.close();
    for (const stop of fleet) expect(await stop()).toBeGreaterThan(0);
    expect(checkHistory(history.events)).toEqual([]);
  });

  test('without the step between, a process that does not reach the first server gets a lock that is held there', async () => {
    const prefix = ownPrefix();
    const proxy = await stopAfterTest(startProxy(servers[0]));
    const urls = [proxy.url(servers[0].url), servers[1].url, servers[2].url];
    const plain = open(prefix, [servers[0].url]);
    const quorum = open(prefix, urls);
    onTestFinished(() => Promise.all([plain.close(), quorum.close()]).then(() => {}));
    const held = await plain.acquire('job');
    expect(await quorum.tryAcquire('job')).toBe(null);
    proxy.refuse();
    await proxy.cut();
    const second = await quorum.acquire('job', { wait: 10_000 });
    expect([held.held, second.held]).toEqual([true, true]);
    await second.release();
    await held.release();
  });
});
