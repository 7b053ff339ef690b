import { printTable, runConformance } from '@locks/conformance';
import { migrate } from '@locks/core';
import type { Phase } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { startStore, storeNames } from '../support/stores.ts';
import type { StoreName } from '../support/stores.ts';

const phases: readonly Phase[] = ['from', 'both', 'to'];

/** One pair. `LOCKS_PAIRS=all`: all pairs, in each phase. */
const pairs: readonly (readonly [StoreName, StoreName, Phase])[] =
  process.env['LOCKS_PAIRS'] === 'all'
    ? storeNames.flatMap((from) =>
        storeNames.flatMap((to) =>
          from === to ? [] : phases.map((phase): [StoreName, StoreName, Phase] => [from, to, phase]),
        ),
      )
    : [['redis', 'sqlite', 'both']];

test.each(pairs)('a migration from %s to %s passes everything in phase %s', { timeout: 900_000 }, async (...pair) => {
  const [from, to, phase] = pair;
  // Of their own: the suite asks for floors far ahead, which ZooKeeper keeps for all of its keys.
  const stores = [await startStore(from), await startStore(to)] as const;
  onTestFinished(async () => {
    for (const store of stores) await store.stop();
  });
  const report = await runConformance({
    name: `${from} to ${to} in phase ${phase}`,
    create: async () => {
      const [first, second] = await Promise.all([stores[0].open(), stores[1].open()]);
      return migrate({
        name: 'pair',
        from: first,
        to: second,
        phase,
        // Longer than any ttl of the suite, so that none is cut.
        presenceTtl: '3m',
        // A hundred attempts at once wait for a few connections of a database.
        memberTimeout: phase === 'both' ? '2s' : '500ms',
      });
    },
    ttl: 1_000,
  });
  const failed = report.results.filter(({ status }) => status === 'failed');
  if (failed.length > 0) console.log(printTable(report));
  expect(failed.map(({ id, error }) => `${id}: ${error?.message}`)).toEqual([]);
});
