import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { migrate } from '../../src/index.ts';
import type { Locks } from '../../../core/src/index.ts';
import type { PhaseWord } from '../../src/index.ts';
import { breakable } from '../../../core/test/support/breakable.ts';
import type { Breakable } from '../../../core/test/support/breakable.ts';
import { flawed, weakerMigrate } from '../flaws/weaker-migrations.ts';
import { drill, usual } from '../support/drill.ts';

const { LOCKS_DRILL_SECONDS = '4', LOCKS_DRILL_SEED = '1' } = process.env;
const duration = Number(LOCKS_DRILL_SECONDS) * 1_000;
const seed = Number(LOCKS_DRILL_SEED);
/** Leases that outlast a presence, and processes that lose theirs. */
const lasting = { ttl: 4_000, longestHold: 1_500, longestOutage: 3_000 };

test.each([
  ['short leases', usual],
  ['leases longer than a presence', lasting],
])(
  'one holder at a time, and tokens that increase, while processes move to and fro: %s',
  async (_, given) => {
    const { problems, leases, processes } = await drill({ migrate, seed, duration, ...given });
    console.log(`${leases} leases, ${processes} processes`);
    expect(problems).toEqual([]);
    expect(leases).toBeGreaterThan(3);
  },
  duration + 30_000,
);

test.each([
  ['is over before others enter the other end', migrate, false],
  ['is not, where it may outlast the presence', await weakerMigrate(...flawed.outlastsPresence), true],
])('a lease of a process that is cut off %s', async (_, made, expected) => {
  const stores = { from: createMemoryStore(), to: createMemoryStore() };
  const start = (phase: PhaseWord): { readonly from: Breakable; readonly locks: Locks } => {
    const from = breakable(createMemoryProvider({ store: stores.from }));
    const to = createMemoryProvider({ store: stores.to });
    const provider = made({ name: 'm', from, to, phase, presenceTtl: 1_000, settle: 0 });
    const locks = createLocks(provider, { closeProvider: true, closeTimeout: 300 });
    onTestFinished(() => locks.close());
    return { from, locks };
  };
  const first = start('from');
  const lease = await first.locks.acquire('job', { ttl: 20_000 });
  first.from.down = true;
  // Locks of before have a longer ttl.
  const { locks } = start('to!');
  await vi.waitFor(async () => {
    const next = await locks.acquire('job', { wait: 100 });
    expect((await locks.inspect('job')).members?.filter(({ holders }) => holders)).toHaveLength(1);
    expect(next.held).toBe(true);
  }, 10_000);
  expect(lease.held).toBe(expected);
});
