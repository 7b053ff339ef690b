import { expect, test } from 'vitest';
import { migrate } from '../../src/index.ts';
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
