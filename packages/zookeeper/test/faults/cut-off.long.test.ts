import { createLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { eventually, type ServerHandle } from '@locks/test-servers';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { serverOptions } from '../support/backends.ts';
import { openChance } from './support/chance.ts';
import { Witness } from './support/witness.ts';
import { ownEnsemble } from '../support/servers.ts';

const rounds = Math.max(1, Math.round(Number(process.env['LOCKS_FAULT_ROUNDS'] ?? 0) / 20));
const sessionTimeout = 4_000;
const root = '/cut-off';
const recovery = 40_000;

const chance = openChance();
const ensemble = await ownEnsemble({
  ...serverOptions,
  initLimit: 50,
  syncLimit: 10,
  partitions: true,
  // The session of the witness must not be lost.
  maxSessionTimeout: 60_000,
});

function open(members: readonly ServerHandle[], label: string): Locks {
  const servers = members.map(({ host, port }) => `${host}:${port}`).join(',');
  const options = { servers, root, acl: 'open', sessionTimeout, timeout: 1_000 } as const;
  const provider = createZookeeperProvider(options);
  return createLocks(provider, { label, ttl: 120_000 });
}

interface Fault {
  member(): Promise<ServerHandle>;
  begin(member: ServerHandle): Promise<() => Promise<void>>;
}

const aFollower = async (): Promise<ServerHandle> => chance.of(await ensemble.followers());
const theLeader = async (): Promise<ServerHandle> => await ensemble.leader();
const cutOff = (member: ServerHandle): Promise<() => Promise<void>> => Promise.resolve(ensemble.partition(member));
const paused = async (member: ServerHandle): Promise<() => Promise<void>> => {
  await member.pause();
  return () => member.resume();
};

const faults: Readonly<Record<string, Fault>> = {
  'a follower is cut off from the others': { member: aFollower, begin: cutOff },
  'a follower is paused': { member: aFollower, begin: paused },
  'the leader is cut off from the others': { member: theLeader, begin: cutOff },
  'the leader is paused': { member: theLeader, begin: paused },
};

/**
 * One process has its session at the member that is hurt, and no other server; another is with the
 * majority.
 */
async function strike(name: string, { member, begin }: Fault): Promise<number[]> {
  const history = createHistory(() => performance.now());
  const hurt = await member();
  const majority = ensemble.servers.filter((server) => server !== hurt);
  await using there = open([hurt], 'there');
  await using elsewhere = open(majority, 'elsewhere');
  await using witness = new Witness(majority, root);
  const watching = await witness.session();
  const run = randomUUID();
  const key = (what: string): string => `${name} ${run} ${what}`;

  const granted = (process: string, asked: Promise<Lease>): Promise<Lease> =>
    asked.then((lease) => {
      history.granted(process, lease);
      return lease;
    });
  const keys = ['one', 'two', 'three', 'four', 'released'].map(key);
  const leases = await Promise.all(keys.map((each) => granted('there', there.acquire(each))));
  const sights = await Promise.all(leases.map((lease) => witness.watch(watching, lease)));
  const theirs = await granted('elsewhere', elsewhere.acquire(key('theirs')));
  // Their turn comes in the meantime: behind a claim of the other process, and of the same process.
  const waits = [key('theirs'), key('released')].map((each) => granted('there', there.acquire(each)));
  const heir = granted('elsewhere', elsewhere.acquire(key('one')));
  await eventually('all are in the queue', async () => {
    const queues = [key('theirs'), key('released'), key('one')].map((each) => witness.children(watching, each));
    return (await Promise.all(queues)).every(({ length }) => length === 2);
  });
  await delay(sessionTimeout + chance.between(0, sessionTimeout / 2));

  const end = await begin(hurt);
  let releasing: Promise<boolean>;
  let next: Lease;
  const others = sights.filter(({ lease }) => lease !== leases.at(-1));
  try {
    const grants = (): number =>
      history.events.filter((event) => event.type === 'granted' && event.process === 'there').length;
    const before = grants();
    const own = leases.at(-1);
    if (own === undefined) throw new Error('there is no lease');
    releasing = history.release(own).catch(() => false);
    // While another leader is elected there may be no answer. The release is repeated then.
    await history.release(theirs).catch((error: unknown) => expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' }));
    let refused = 0;
    do {
      await there.tryAcquire(key(`new ${refused}`)).then(
        (lease) => expect(lease, 'a grant by a server without a majority').toBeUndefined(),
        (error: unknown) => expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' }),
      );
      refused += 1;
      await delay(50);
    } while (others.some(({ removedAt }) => removedAt === Infinity));
    history.look();
    for (const { lostAt, removedAt, heldAtRemoval } of others) {
      expect(lostAt).toBeLessThan(removedAt);
      expect(heldAtRemoval).toBe(false);
    }
    next = await heir;
    await history.release(next);
    expect(grants()).toBe(before);
  } finally {
    // The tests after this one need it.
    await end();
  }
  await releasing;
  for (const lease of await Promise.all(waits)) {
    expect(await history.release(lease)).toBe(true);
  }
  const again = await granted('there', there.acquire(key('one'), { wait: recovery }));
  expect(again.token).toBeGreaterThan(next.token);
  expect(await history.release(again)).toBe(true);
  expect(checkHistory(history.events)).toEqual([]);
  await eventually('the others have caught up', async () => (await ensemble.followers()).length === 2, recovery);
  return others.map(({ lostAt, removedAt }) => removedAt - lostAt);
}

test.each(Object.keys(faults))(
  `%s, ${rounds} x: a process that reaches no other server is granted nothing more, and loses its leases before the others remove their nodes`,
  async (name) => {
    const fault = faults[name];
    if (fault === undefined) throw new Error(`there is no fault "${name}"`);
    const margins: number[] = [];
    for (let round = 0; round < rounds; round += 1) margins.push(...(await strike(name, fault)));
    console.log(
      `${name}: ${rounds} rounds, ${margins.length} leases of sessions of ${sessionTimeout} ms, ${chance.note}; ` +
        `smallest time from the loss to the removal: ${Math.min(...margins).toFixed(1)} ms`,
    );
    expect(Math.min(...margins)).toBeGreaterThan(0);
  },
  60_000 + rounds * 60_000,
);
