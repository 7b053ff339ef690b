import { expect, test } from 'vitest';
import { flawed, weakerMigrate } from '../flaws/weaker-migrations.ts';
import { drill, usual } from '../support/drill.ts';

const { LOCKS_DRILL_SEED = '1' } = process.env;
const seed = Number(LOCKS_DRILL_SEED);

test.each([
  // Two ends beside each other may give tokens out of order before two of their leases meet.
  ['that do not look', flawed.doesNotLook, /hold|token/],
  ['that do not compare tokens', flawed.doesNotCompare, /token/],
] as const)(
  'the drill finds processes %s',
  async (_, flaws, expected) => {
    const made = await weakerMigrate(...flaws);
    // It ends at the first problem.
    const { problems } = await drill({ migrate: made, seed, duration: 60_000, keys: 40, ...usual });
    expect(problems[0]).toMatch(expected);
  },
  90_000,
);
