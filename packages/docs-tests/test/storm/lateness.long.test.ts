import { test } from 'vitest';
import { storm } from './lateness.ts';
import { settingOf, settingOfQuorum } from './setting.ts';
import { ways } from './ways.ts';

/** So many rounds for each client. */
const rounds = Number(process.env['LOCKS_TEST_ROUNDS'] ?? 1);
/** Of the first of them. */
const seed = Number(process.env['LOCKS_TEST_SEED'] ?? 1);

test.each(Object.entries(ways))(
  'what is given up and then delivered leaves nothing over %s',
  { timeout: 60_000 + rounds * 60_000 },
  async (_, way) => storm(await settingOf(way), seed, rounds),
);

test(
  'what is given up and then delivered leaves nothing in a quorum',
  { timeout: 60_000 + rounds * 60_000 },
  async () => storm(await settingOfQuorum(), seed, rounds),
);
