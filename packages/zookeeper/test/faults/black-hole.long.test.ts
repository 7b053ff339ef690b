import { createLocks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { eventually, startProxy } from '@locks/test-servers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createZookeeperProvider } from '../../src/index.ts';
import { openChance } from './support/chance.ts';
import { Witness } from './support/witness.ts';
import type { Sight } from './support/witness.ts';
import { ownServer } from '../support/servers.ts';

const rounds = Number(process.env['LOCKS_FAULT_ROUNDS'] ?? 5);
const roundsAtOnce = 10;
const leasesOfRound = 5;
const sessionTimeout = 3_000;
const root = '/black-hole';
const directions = ['both', 'requests', 'replies'] as const;

const chance = openChance();
const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000, maxSessionTimeout: 60_000 });

function open(address: { readonly host: string; readonly port: number }, label: string) {
  const servers = `${address.host}:${address.port}`;
  const provider = createZookeeperProvider({ servers, root, acl: 'open', sessionTimeout, timeout: 2_000 });
  return createLocks(provider, { label });
}

/** Resolves to what was seen of the leases, and how many were held when the silence began. */
async function fallSilent(
  number: number,
  direction: (typeof directions)[number],
  moment: number,
): Promise<{ readonly sights: readonly Sight[]; readonly struck: number }> {
  const history = createHistory(() => performance.now());
  await using proxy = await startProxy(server);
  await using witness = new Witness([server], root);
  const watching = await witness.session();
  await using hidden = open(proxy, `hidden-${number}`);
  await using heir = open(server, `heir-${number}`);
  const keys = Array.from({ length: leasesOfRound }, (_, index) => `${number}-${index}`);
  const leases = await Promise.all(keys.map((key) => hidden.acquire(key)));
  for (const lease of leases) history.granted('hidden', lease);
  const sights = await Promise.all(leases.map((lease) => witness.watch(watching, lease)));
  const inherited = heir.acquire(keys[0] ?? '').then((lease) => {
    history.granted('heir', lease);
    return lease;
  });
  // At any moment between two heartbeats, a whole timeout later: then the deadline comes from
  // heartbeats alone.
  await delay(sessionTimeout + moment);
  // On a machine that is too busy sessions end before; what goes for their leases is the same.
  const struck = leases.filter(({ held }) => held).length;

  const speak = proxy.silence(direction);
  await eventually('all nodes are removed', () => sights.every(({ removedAt }) => removedAt < Infinity), 30_000);
  history.look();
  for (const { lease, lostAt, removedAt, heldAtRemoval } of sights) {
    expect(lostAt).toBeLessThan(removedAt);
    expect(heldAtRemoval).toBe(false);
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', key: lease.key });
    expect(lease.remaining).toBe(0);
  }
  // In the black hole nothing is granted.
  await expect(hidden.tryAcquire(`${number}-new`)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  const next = await inherited;
  expect(next.token).toBeGreaterThan(leases[0]?.token ?? 0n);
  history.released(next);
  await next.release();

  await speak();
  const again = await Promise.all(keys.map((key) => hidden.acquire(key, { wait: 20_000 })));
  for (const [index, lease] of again.entries()) {
    history.granted('hidden', lease);
    expect(lease.held).toBe(true);
    expect(lease.token).toBeGreaterThan(leases[index]?.token ?? 0n);
    history.released(lease);
    expect(await lease.release()).toBe(true);
  }
  expect(checkHistory(history.events, { ended: true })).toEqual([]);
  return { sights, struck };
}

test(
  `${rounds} black holes: every lease is lost before the server removes its node, and the process goes on with a new session`,
  async () => {
    const margins: Record<(typeof directions)[number], number[]> = { both: [], requests: [], replies: [] };
    let held = 0;
    for (let first = 0; first < rounds; first += roundsAtOnce) {
      const numbers = Array.from({ length: Math.min(roundsAtOnce, rounds - first) }, (_, index) => first + index);
      await Promise.all(
        numbers.map(async (number) => {
          const direction = directions[number % directions.length] ?? 'both';
          const { sights, struck } = await fallSilent(number, direction, chance.between(0, sessionTimeout));
          held += struck;
          margins[direction].push(...sights.map(({ lostAt, removedAt }) => removedAt - lostAt));
        }),
      );
    }
    const smallest = Object.entries(margins).map(
      ([direction, all]) => `${direction} ${Math.min(...all).toFixed(1)} ms`,
    );
    const leases = Object.values(margins).flat();
    console.log(
      `black hole: ${rounds} rounds, ${leases.length} leases of sessions of ${sessionTimeout} ms (${held} held when it began), ${chance.note}; ` +
        // Where replies alone are lost, the process ends its old session itself, right after it has
        // told of the loss.
        `smallest time from the loss to the removal: ${smallest.join(', ')}`,
    );
    expect(leases).toHaveLength(rounds * leasesOfRound);
    expect(held).toBeGreaterThan(leases.length / 2);
    expect(Math.min(...leases)).toBeGreaterThan(0);
  },
  60_000 + rounds * 6_000,
);
