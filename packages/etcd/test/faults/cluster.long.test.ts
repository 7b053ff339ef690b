import { setTimeout as delay } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { eventually, startEtcdCluster } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import { open } from '../support/etcd.ts';

const cluster = await startEtcdCluster();
afterAll(() => cluster.stop());

/** What one holder has seen of its hold, by the clock of this process. */
interface Held {
  readonly token: bigint;
  readonly from: number;
  /** The last moment at which the lease said that it holds. */
  readonly until: number;
}

async function openLocksOn(url: string, prefix: string): Promise<Locks> {
  return createLocks(await open({ url, prefix, timeout: 3_000, waiterTtl: 3_000 }), { ttl: 3_000 });
}

/** Takes and releases one key until `over`, from three processes' worth of providers. */
function contend(
  parties: readonly Locks[],
  over: () => boolean,
): { readonly held: Held[]; readonly done: Promise<void> } {
  const held: Held[] = [];
  const done = Promise.all(
    [...parties, ...parties].map(async (locks) => {
      while (!over()) {
        const lease = await locks.acquire('counter', { wait: 10_000 }).catch(() => undefined);
        if (lease === undefined) continue;
        const from = performance.now();
        let until = from;
        for (const end = from + 20; lease.held && performance.now() < end; until = performance.now()) await delay(2);
        held.push({ token: lease.token, from, until: lease.held ? until : from });
        await lease.release().catch(() => {});
      }
    }),
  ).then(() => {});
  return { held, done };
}

test('leaders are partitioned, frozen and killed: one holder at a time, tokens rise, and work goes on', async () => {
  const parties = await Promise.all([1, 2, 3].map(() => openLocksOn(cluster.url, 'faults')));
  let over = false;
  const { held, done } = contend(parties, () => over);
  const goesOn = async (when: string): Promise<void> => {
    const before = held.length;
    await eventually(`holders ${when}`, () => held.length > before + 5, 30_000);
  };
  await goesOn('at the beginning');

  const isolated = await cluster.leader();
  const heal = cluster.partition(isolated);
  await goesOn('without the leader that was cut off');
  heal();
  await goesOn('after the partition');

  const frozen = await cluster.leader();
  await frozen.pause();
  await goesOn('while the leader is frozen');
  await frozen.resume();
  await goesOn('after the freeze');

  const killed = await cluster.leader();
  await killed.kill();
  await goesOn('without the leader that was killed');
  await killed.restart();
  await goesOn('with all members');

  over = true;
  await done;
  const inOrder = held.toSorted((a, b) => Number(a.token - b.token));
  expect(new Set(inOrder.map(({ token }) => token)).size).toBe(inOrder.length);
  for (const [index, { from }] of inOrder.entries()) {
    const before = inOrder[index - 1];
    if (before !== undefined)
      expect(from, `holder ${index} beside the one before`).toBeGreaterThanOrEqual(before.until);
  }
  await Promise.all(parties.map((locks) => locks.close()));
}, 180_000);

test('a holder behind a leader that is cut off loses its lease before another one holds', async () => {
  const first = await cluster.leader();
  const others = cluster.servers.filter((server) => server !== first);
  const address = ({ host, port }: { readonly host: string; readonly port: number }): string => `${host}:${port}`;
  const holder = await openLocksOn(`etcd://${address(first)}`, 'cut-off');
  const next = await openLocksOn(`etcd://${others.map(address).join(',')}`, 'cut-off');
  const lease = await holder.acquire('job');
  const heal = cluster.partition(first);
  const taken = await next.acquire('job', { wait: 30_000 });
  const seen = { held: lease.held, aborted: lease.signal.aborted };
  heal();
  expect(seen).toEqual({ held: false, aborted: true });
  expect(taken.token).toBeGreaterThan(lease.token);
  await Promise.all([holder.close(), next.close()]);
}, 60_000);

test('a lease outlives its leader, and a waiter is told by the next one', async () => {
  const [holder, waiter] = await Promise.all([
    openLocksOn(cluster.url, 'outlives'),
    openLocksOn(cluster.url, 'outlives'),
  ]);
  const lease = await holder.acquire('job');
  const waiting = waiter.acquire('job', { wait: 30_000 });
  const killed = await cluster.leader();
  await killed.kill();
  await cluster.leader();
  // Two renewals, at least.
  await delay(4_000);
  expect(lease.held).toBe(true);
  await lease.release();
  const next = await waiting;
  expect(next.token).toBeGreaterThan(lease.token);
  await killed.restart();
  await Promise.all([holder.close(), waiter.close()]);
}, 60_000);
