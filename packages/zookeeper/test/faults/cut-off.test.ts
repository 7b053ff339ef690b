import { createLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { type ServerHandle, type ZookeeperEnsemble, startZookeeperEnsemble } from '@locks/test-servers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { serverOptions } from '../support/backends.ts';
import { eventually } from '../support/waiting.ts';
import { openChance } from './support/chance.ts';
import { Witness } from './support/witness.ts';

const rounds = Math.max(1, Math.round(Number(process.env['LOCKS_FAULT_ROUNDS'] ?? 0) / 10));
const sessionTimeout = 4_000;
const root = '/cut-off';
const recovery = 40_000;

const chance = openChance();
let ensemble: ZookeeperEnsemble;

beforeAll(async () => {
  ensemble = await startZookeeperEnsemble({ ...serverOptions, initLimit: 50, syncLimit: 10, partitions: true });
}, 120_000);
afterAll(() => ensemble.stop());

function open(servers: readonly ServerHandle[], label: string): Locks {
  const list = servers.map(({ host, port }) => `${host}:${port}`).join(',');
  const provider = createZookeeperProvider({ servers: list, root, acl: 'open', sessionTimeout, timeout: 1_000 });
  return createLocks(provider, { label, ttl: 120_000 });
}

const faults: Readonly<Record<string, (follower: ServerHandle) => Promise<() => Promise<void>>>> = {
  'is cut off from the others': (follower) => Promise.resolve(ensemble.partition(follower)),
  async 'is paused'(follower) {
    await follower.pause();
    return () => follower.resume();
  },
};

async function strike(
  name: string,
  round: number,
  begin: (follower: ServerHandle) => Promise<() => Promise<void>>,
): Promise<number[]> {
  const history = createHistory(() => performance.now());
  const leader = await ensemble.leader();
  const [follower, third] = await ensemble.followers();
  if (follower === undefined || third === undefined) throw new Error('the ensemble has no two followers');
  await using there = open([follower], 'there');
  await using elsewhere = open([leader, third], 'elsewhere');
  await using witness = new Witness([leader], root);
  const watching = await witness.session();
  const key = (what: string): string => `${name} ${round} ${what}`;

  const granted = (process: string, asked: Promise<Lease>): Promise<Lease> =>
    asked.then((lease) => {
      history.granted(process, lease);
      return lease;
    });
  const keys = ['one', 'two', 'three', 'four', 'released'].map(key);
  const leases = await Promise.all(keys.map((each) => granted('there', there.acquire(each))));
  const sights = await Promise.all(leases.map((lease) => witness.watch(watching, lease)));
  const theirs = await granted('elsewhere', elsewhere.acquire(key('theirs')));
  // Whose turn comes in the meantime: behind one of the others, and behind one of the same process.
  const waits = [key('theirs'), key('released')].map((each) => granted('there', there.acquire(each)));
  const heir = granted('elsewhere', elsewhere.acquire(key('one')));
  await eventually('all are in line', async () => {
    const lines = [key('theirs'), key('released'), key('one')].map((each) => witness.children(watching, each));
    return (await Promise.all(lines)).every(({ length }) => length === 2);
  });
  await delay(sessionTimeout + chance.between(0, sessionTimeout / 2));

  const end = await begin(follower);
  const grants = (): number =>
    history.events.filter((event) => event.type === 'granted' && event.process === 'there').length;
  const before = grants();
  const own = leases.at(-1);
  if (own === undefined) throw new Error('there is no lease');
  history.released(own);
  const releasing = own.release().catch(() => false);
  history.released(theirs);
  expect(await theirs.release()).toBe(true);
  let refused = 0;
  const others = sights.filter(({ lease }) => lease !== own);
  while (others.some(({ removedAt }) => removedAt === Infinity)) {
    await there.tryAcquire(key(`new ${refused}`)).then(
      (lease) => expect(lease, 'a grant by a server without a majority').toBeUndefined(),
      (error: unknown) => expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' }),
    );
    refused += 1;
    await delay(50);
  }
  expect(refused).toBeGreaterThan(0);
  history.look();
  for (const { lostAt, removedAt, heldAtRemoval } of others) {
    expect(lostAt).toBeLessThan(removedAt);
    expect(heldAtRemoval).toBe(false);
  }
  const next = await heir;
  history.released(next);
  await next.release();
  expect(grants()).toBe(before);

  await end();
  await releasing;
  for (const lease of await Promise.all(waits)) {
    history.released(lease);
    expect(await lease.release()).toBe(true);
  }
  const again = await granted('there', there.acquire(key('one'), { wait: recovery }));
  expect(again.token).toBeGreaterThan(next.token);
  history.released(again);
  expect(await again.release()).toBe(true);
  expect(checkHistory(history.events, { ended: true })).toEqual([]);
  await eventually('the others have caught up', async () => (await ensemble.followers()).length === 2, recovery);
  return others.map(({ lostAt, removedAt }) => removedAt - lostAt);
}

test.each(Object.keys(faults))(
  `the follower that serves a process %s, ${rounds} times: it grants nothing more, and its leases are lost before the leader removes their nodes`,
  async (name) => {
    const begin = faults[name];
    if (begin === undefined) throw new Error(`there is no fault "${name}"`);
    const margins: number[] = [];
    for (let round = 0; round < rounds; round += 1) margins.push(...(await strike(name, round, begin)));
    console.log(
      `a follower ${name}: ${rounds} rounds, ${margins.length} leases of sessions of ${sessionTimeout} ms, ${chance.note}; ` +
        `smallest time from the loss to the removal: ${Math.min(...margins).toFixed(1)} ms`,
    );
    expect(Math.min(...margins)).toBeGreaterThan(0);
  },
  60_000 + rounds * 60_000,
);
