import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import type { Locks, LocksConfig } from '@locks/core';
import { redisCommand, startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startStore } from './support/stores.ts';
import type { StoreName } from './support/stores.ts';

async function open(config: LocksConfig): Promise<Locks> {
  const locks = await openLocks({ ttl: '3s', ...config });
  onTestFinished(() => locks.close());
  return locks;
}

/** A configuration of a member. */
async function member(name: StoreName): Promise<LocksConfig> {
  const { url, options, stop } = await startStore(name);
  onTestFinished(stop);
  return { url, options };
}

/** So many servers without persistence. */
async function startServers(count: number): Promise<readonly ServerHandle[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => startRedis()));
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  return servers;
}

/** A job that `fleet` calls in a slot, and how often it ran. `during`: while it runs. */
async function runsIn(
  fleet: readonly Locks[],
  slot: number,
  during: () => Promise<unknown> = () => sleep(5),
): Promise<number> {
  let runs = 0;
  const work = async (): Promise<void> => {
    runs += 1;
    await during();
  };
  // A slot of long ago, so that no clock matters.
  await Promise.all(fleet.map((locks) => locks.once('job', new Date(slot * 60_000), { wait: '10s' }, work)));
  return runs;
}

const faults: Readonly<
  Record<string, readonly [(server: ServerHandle) => Promise<unknown>, (server: ServerHandle) => Promise<unknown>]>
> = {
  'stands still': [(server) => server.pause(), (server) => server.resume()],
  'is dead, and returns without its data': [(server) => server.kill(), (server) => server.restart({ keepData: false })],
  'loses its data': [(server) => redisCommand(server, 'FLUSHALL'), async () => {}],
};

describe('a job of two processes runs once in each slot over three Redis servers, of which one', () => {
  test.each(Object.entries(faults))('%s', { timeout: 180_000 }, async (_, [begin, end]) => {
    const servers = await startServers(3);
    const config = { provider: 'combine', options: { members: servers.map(({ url }) => url), memberTimeout: 200 } };
    const fleet = [await open(config), await open(config)];
    let slot = 1;
    const rounds = async (count: number): Promise<void> => {
      for (let round = 0; round < count; round += 1, slot += 1)
        expect(await runsIn(fleet, slot), `slot ${slot}`).toBe(1);
    };
    await rounds(3);
    for (const server of [...servers, ...servers]) {
      // Also while the job runs.
      expect(await runsIn(fleet, slot, () => begin(server)), `slot ${slot}`).toBe(1);
      expect(await runsIn(fleet, slot), `slot ${slot} again`).toBe(0);
      slot += 1;
      await rounds(3);
      await end(server);
      // Each process reads the quorum of a member that returned once a second.
      await sleep(1_200);
      await rounds(3);
    }
    expect(await fleet[0]!.job('job')).toMatchObject({ state: 'done', slot: new Date((slot - 1) * 60_000) });
  });
});

test(
  '50 races of two processes for a slot over three Redis servers, of which one is dead',
  { timeout: 120_000 },
  async () => {
    const servers = await startServers(3);
    const config = { provider: 'combine', options: { members: servers.map(({ url }) => url) } };
    const fleet = [await open(config), await open(config)];
    await servers[1]!.kill();
    for (let slot = 1; slot <= 50; slot += 1) expect(await runsIn(fleet, slot), `slot ${slot}`).toBe(1);
  },
);

test('a job without a majority is LOCK_UNAVAILABLE in time, and runs nowhere', { timeout: 120_000 }, async () => {
  const servers = await startServers(3);
  const options = { members: servers.map(({ url }) => url), memberTimeout: 200, timeout: 2_000 };
  const fleet = [await open({ provider: 'combine', options }), await open({ provider: 'combine', options })];
  expect(await runsIn(fleet, 1)).toBe(1);
  await servers[0]!.pause();
  await servers[1]!.kill();
  let runs = 0;
  for (const locks of fleet) {
    const start = performance.now();
    const call = locks.once('job', new Date(120_000), {}, () => void (runs += 1));
    await expect(call).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await expect(locks.job('job')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(performance.now() - start).toBeLessThan(6_000);
  }
  expect(runs).toBe(0);
  await servers[0]!.resume();
  await sleep(1_200);
  expect(await runsIn(fleet, 2)).toBe(1);
});

test.each([
  ['redis', 'postgres', 'sqlite'],
  ['etcd', 'redis', 'mariadb'],
] as const)('a job runs once in each slot over a quorum of %s, %s and %s', { timeout: 180_000 }, async (...names) => {
  const members = await Promise.all(names.map((name) => member(name)));
  const config = { provider: 'combine', options: { members, memberTimeout: '2s' } };
  const fleet = [await open(config), await open(config)];
  for (let slot = 1; slot <= 15; slot += 1) expect(await runsIn(fleet, slot), `slot ${slot}`).toBe(1);
});

/** A job of each second, and how often it ran in each. */
function eachSecond(fleet: readonly Locks[]) {
  const runs = new Map<number, number>();
  const states: string[] = [];
  let over = false;
  const call = async (locks: Locks, slot: number): Promise<void> => {
    const work = (): Promise<void> => {
      runs.set(slot, (runs.get(slot) ?? 0) + 1);
      return sleep(20);
    };
    const { state } = await locks.once('job', new Date(slot), {}, work);
    states.push(state);
  };
  const loop = (async () => {
    const calls: Promise<void>[] = [];
    while (!over) {
      await sleep(1_000 - (Date.now() % 1_000));
      const slot = Math.round(Date.now() / 1_000) * 1_000;
      runs.set(slot, 0);
      calls.push(...fleet.map((locks) => call(locks, slot)));
    }
    await Promise.all(calls);
  })();
  return async (): Promise<readonly number[]> => {
    over = true;
    await loop;
    return [...runs.values()];
  };
}

const pairs: readonly (readonly [StoreName, StoreName])[] = [
  ['redis', 'sqlite'],
  ['redis', 'postgres'],
];

describe.each(pairs)('while a fleet moves from %s to %s, a job of each second', (...names) => {
  test('runs once in each, in processes of neighbouring deploys', { timeout: 180_000 }, async () => {
    const [from, to] = [await member(names[0]), await member(names[1])];
    const both = { provider: 'combine', options: { members: [from, to], need: 'all', memberTimeout: '2s' } };
    for (const [one, other] of [
      [from, both],
      [both, both],
      [both, to],
      [to, both],
      [both, from],
    ] as const) {
      const fleet = [await openLocks(one), await openLocks(other)];
      const stop = eachSecond(fleet);
      await sleep(4_500);
      expect((await stop()).filter((count) => count !== 1)).toEqual([]);
      for (const locks of fleet) await locks.close();
    }
  });

  test('runs once in each, in processes whose phase changes', { timeout: 180_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'locks-phases-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [from, to] = [await member(names[0]), await member(names[1])];
    const files = [0, 1, 2].map((index) => join(folder, `phase-${index}`));
    for (const file of files) writeFileSync(file, 'from');
    const fleet = await Promise.all(
      files.map((file, index) => {
        const options = { name: 'jobs', from, to, phase: `file:${file}`, presenceTtl: '2s', label: `p${index}` };
        return open({ provider: 'migrate', options: { ...options, settle: 0, memberTimeout: '2s' } });
      }),
    );
    const stop = eachSecond(fleet);
    for (const phase of ['both', 'to', 'both', 'from', 'to'] as const) {
      for (const file of files) {
        await sleep(1_100);
        writeFileSync(file, phase);
      }
    }
    await sleep(3_000);
    expect((await stop()).filter((count) => count !== 1)).toEqual([]);
    const plain = await open(to);
    expect(await plain.job('job')).toMatchObject({ state: 'done' });
  });
});
