import { eventually } from '@locks/test-servers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { serverOptions } from '../support/backends.ts';
import { openChance } from './support/chance.ts';
import { Contenders } from './support/contenders.ts';
import { Witness } from './support/witness.ts';
import { ownEnsemble } from '../support/servers.ts';

const cycles = Math.max(1, Math.round(Number(process.env['LOCKS_FAULT_ROUNDS'] ?? 0) / 20));
const sessionTimeout = 4_000;
const root = '/contended';
const keys = ['a', 'b', 'c', 'd'];
/**
 * How long an election and the sessions that go over to other servers may take on a slow machine.
 */
const recovery = 40_000;

const chance = openChance();
const ensemble = await ownEnsemble({ ...serverOptions, initLimit: 50, syncLimit: 10 });

const faults: Readonly<Record<string, () => Promise<void>>> = {
  async 'the leader is killed'() {
    const leader = await ensemble.leader();
    await leader.kill();
    await ensemble.leader();
    await delay(chance.between(0, 1_000));
    await leader.restart();
  },
  async 'a follower is killed'() {
    const follower = chance.of(await ensemble.followers());
    await follower.kill();
    await delay(chance.between(0, 1_000));
    await follower.restart();
  },
  async 'the leader is paused for longer than a session lives'() {
    const leader = await ensemble.leader();
    await leader.pause();
    await delay(sessionTimeout * chance.between(1.2, 1.5));
    await leader.resume();
    await ensemble.leader();
  },
  async 'a follower is paused for longer than a session lives'() {
    const follower = chance.of(await ensemble.followers());
    await follower.pause();
    await delay(sessionTimeout * chance.between(1.2, 1.5));
    await follower.resume();
  },
};

test(
  `50 contenders on ${keys.length} keys, ${cycles} x 4 faults: no two hold at once, all are served afterwards, and nothing is left`,
  async () => {
    const servers = ensemble.servers.map(({ host, port }) => `${host}:${port}`).join(',');
    const options = { servers, root, acl: 'open', sessionTimeout, timeout: 2_000 } as const;
    await using contenders = new Contenders({ options, providers: 5, contenders: 50, keys, chance });
    const slowest: Record<string, number> = {};
    await contenders.allServed(recovery);
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      for (const [name, strike] of Object.entries(faults)) {
        await delay(chance.between(0, 500));
        await strike();
        const since = performance.now();
        await contenders.allServed(recovery);
        slowest[name] = Math.max(slowest[name] ?? 0, performance.now() - since);
      }
    }
    await contenders.end();
    const times = Object.entries(slowest).map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
    console.log(
      `ensemble: ${cycles} x 4 faults, ${contenders.grants} grants, ${contenders.hurt} calls or leases hurt, ${chance.note}; slowest until all 50 were served: ${times.join(', ')}`,
    );
    expect(contenders.problems).toEqual([]);
    expect(contenders.grants).toBeGreaterThan(cycles * 4 * 50);
    // The sessions are still there: the owners have removed their nodes.
    await using witness = new Witness([await ensemble.leader()], root);
    const session = await witness.session();
    const left = async (): Promise<string[]> =>
      (await Promise.all(keys.map((key) => witness.children(session, key)))).flat();
    await eventually('the queues are empty', async () => (await left()).length === 0, recovery);
  },
  120_000 + cycles * 120_000,
);
