import { openLocks } from '@locks/core';
import type { LockError, Locks, LocksConfig } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { opened, stopAfterTest } from '../support/over.ts';

/** Locks of two processes over `count` servers, all of which but `survivor` are killed. */
async function beheaded(
  count: number,
  survivor: number,
  configOf: (urls: readonly string[]) => LocksConfig,
): Promise<readonly Locks[]> {
  const started = await Promise.all(Array.from({ length: count }, () => stopAfterTest(startRedis())));
  const servers = started.toSorted((one, other) => one.port - other.port);
  const config = configOf(servers.map(({ url }) => url));
  const fleet = await Promise.all([opened(openLocks(config)), opened(openLocks(config))]);
  for (const locks of fleet) await locks.withLock('before', () => {});
  await Promise.all(servers.filter((_, index) => index !== survivor).map((server) => server.kill()));
  return fleet;
}

const quorum = (urls: readonly string[]): LocksConfig => ({ provider: 'combine', options: { members: urls } });
const both = ([from, to]: readonly string[]): LocksConfig => ({
  provider: 'migrate',
  options: { name: 'move', from, to, phase: 'both' },
});

test.each([
  ['a quorum', 3, 0, 0, quorum],
  ['a quorum', 3, 0, 1_500, quorum],
  ['a quorum', 3, 1, 1_500, quorum],
  ['a quorum', 3, 2, 1_500, quorum],
  ['the second store of a migration', 2, 0, 0, both],
  ['the second store of a migration', 2, 0, 1_500, both],
  ['the first store of a migration', 2, 1, 1_500, both],
] as const)(
  'where %s of %d is dead but for server %d, claims that wait for %d ms hear of no contention',
  async (_what, count, survivor, wait, configOf) => {
    const fleet = await beheaded(count, survivor, configOf);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        fleet[index % 2]!.tryWithLock('job', { wait }, () => {}).then(
          ({ held }) => `held: ${held}`,
          (error: unknown) => (error as LockError).code,
        ),
      ),
    );
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'LOCK_UNAVAILABLE'));
  },
);
