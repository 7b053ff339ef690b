import { randomInt } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import type { Lease } from '@locks/core';
import { createRandom } from '@locks/core/testing';
import { startProxy } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { createZookeeperProvider } from '../../../src/index.ts';
import type { SessionMessage } from '../../../src/session/session-channel.ts';
import { ownServer } from '../../support/servers.ts';

const rounds = Math.max(4, Math.round(Number(process.env['LOCKS_FAULT_ROUNDS'] ?? 40) / 10));
const leasesOfRound = 20;
const sessionTimeout = 6_000;

const seed = Number(process.env['LOCKS_FAULT_SEED'] ?? randomInt(2 ** 31));
const random = createRandom(seed);
const server = await ownServer({ tickTime: 500 });

/** How many leases ended in a silence that their session outlived; `undefined`: it did not. */
async function fallSilent(round: number): Promise<number | undefined> {
  await using proxy = await startProxy(server);
  let lost = false;
  const listener = (message: unknown): void => {
    lost ||= (message as SessionMessage).state === 'lost';
  };
  const provider = createZookeeperProvider({
    servers: `${proxy.host}:${proxy.port}`,
    root: '/short-silence',
    acl: 'open',
    sessionTimeout,
  });
  await using locks = createLocks(provider);
  const leases: Lease[] = [];
  // Each is renewed at another moment.
  for (let index = 0; index < leasesOfRound; index += 1) {
    leases.push(await locks.acquire(`${round}-${index}`));
    await delay(sessionTimeout / 3 / leasesOfRound);
  }
  await delay(sessionTimeout / 2 + (random() * sessionTimeout) / 4);
  expect(leases.every(({ held }) => held)).toBe(true);
  subscribe('locks:session', listener);
  try {
    const speak = proxy.hold();
    await delay(sessionTimeout * 0.3);
    speak();
    // Whatever was to end has ended, and whatever is renewed was.
    await delay(sessionTimeout / 2);
  } finally {
    unsubscribe('locks:session', listener);
  }
  const ended = leases.filter(({ held }) => !held).length;
  await locks.close();
  await provider.close();
  return lost ? undefined : ended;
}

test(
  `a silence of 0.3 of the timeout, ${rounds} x: leases last as long as their session`,
  async () => {
    const ended: (number | undefined)[] = [];
    for (let round = 0; round < rounds; round += 1) ended.push(await fallSilent(round));
    console.log(`a short silence: of ${leasesOfRound} leases each ended ${ended.join(', ')}, LOCKS_FAULT_SEED=${seed}`);
    const outlived = ended.filter((count) => count !== undefined);
    expect(outlived.length).toBeGreaterThan(rounds / 2);
    expect(Math.max(...outlived)).toBe(0);
  },
  30_000 + rounds * 20_000,
);
