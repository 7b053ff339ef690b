import { test } from 'vitest';
import { storeNames } from '../support/stores.ts';
import { storm } from './cuts.ts';

/** So many storms for each adapter. */
const rounds = Number(process.env['LOCKS_TEST_ROUNDS'] ?? 2);

test.each(storeNames.filter((name) => name !== 'sqlite'))(
  'storms of cuts leave nothing pending and no line on %s',
  { timeout: 60_000 + rounds * 60_000 },
  (name) => storm(name, rounds),
);
