import { test } from 'vitest';
import { storm } from './lateness.ts';
import { ways } from './ways.ts';

/** So many rounds for each client. */
const rounds = Number(process.env['LOCKS_TEST_ROUNDS'] ?? 1);
/** Of the first of them. */
const seed = Number(process.env['LOCKS_TEST_SEED'] ?? 1);

test.each(Object.entries(ways))(
  'what is given up and then delivered leaves nothing over %s',
  { timeout: 60_000 + rounds * 60_000 },
  (_, way) => storm(way, seed, rounds),
);
