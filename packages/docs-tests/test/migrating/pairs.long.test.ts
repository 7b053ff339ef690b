import { printTable, requirements, runConformance } from '@locks/conformance';
import { migrate } from '@locks/composites';
import type { Phase } from '@locks/composites';
import { expect, onTestFinished, test } from 'vitest';
import { alone as blocking, hasty } from '../../../conformance/test/support/side-by-side.ts';
import { startStore } from '../support/stores.ts';
import type { StoreName } from '../support/stores.ts';

const phases: readonly Phase[] = ['from', 'both', 'to'];

/** One of each kind. */
const kinds = ['redis', 'postgres', 'zookeeper', 'sqlite'] as const;

/** One pair. `LOCKS_PAIRS=all`: all pairs, in each phase. */
const pairs: readonly (readonly [StoreName, StoreName, Phase])[] =
  process.env['LOCKS_PAIRS'] === 'all'
    ? kinds.flatMap((from) =>
        kinds.flatMap((to) =>
          from === to ? [] : phases.map((phase): [StoreName, StoreName, Phase] => [from, to, phase]),
        ),
      )
    : [['redis', 'sqlite', 'both']];

/** Its floors raise the tokens of all keys of a ZooKeeper, near to 2^53. */
const ofHighTokens = 'token-end';
/**
 * It asks for ten grants below 2^53, where the tokens of Redis and SQLite end, with room for four
 * steps each. Those of ZooKeeper take larger steps.
 */
const ofSmallSteps = 'token-exact';
const alone = [...blocking, hasty];
const others = requirements.map(({ id }) => id).filter((id) => !alone.includes(id));

/** More: requirements that measure time see what others compute. */
const runs = 3;

/**
 * All requirements, unless both stores have each token, and end differently. The shares of a list
 * are checked at once, as they mostly wait.
 */
function sharesOf(pair: (typeof pairs)[number]): readonly (readonly (readonly string[])[])[] {
  const ends = pair.includes('redis') || pair.includes('sqlite');
  const mixed = pair.includes('both') && pair.includes('zookeeper') && ends;
  const patient = mixed ? others.filter((id) => id !== ofHighTokens && id !== ofSmallSteps) : others;
  const together = Array.from({ length: runs }, (_, run) => patient.filter((_id, index) => index % runs === run));
  return [together, [alone], ...(mixed ? [[[ofHighTokens]]] : [])];
}

test.each(pairs)('a migration from %s to %s passes everything in phase %s', { timeout: 900_000 }, async (...pair) => {
  const failures: string[] = [];
  for (const shares of sharesOf(pair)) {
    const failed = await Promise.all(shares.map((only) => check(pair, only)));
    failures.push(...failed.flat());
  }
  expect(failures).toEqual([]);
});

/** What failed, over two stores of its own: ZooKeeper keeps a floor for all of its keys. */
async function check([from, to, phase]: (typeof pairs)[number], only: readonly string[]): Promise<readonly string[]> {
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
        // The first process would be in phase both for as long.
        settle: 0,
        // A hundred attempts at once wait for a few connections of a database.
        memberTimeout: phase === 'both' ? '2s' : '500ms',
      });
    },
    ttl: 1_000,
    only,
  });
  const failed = report.results.filter(({ status }) => status === 'failed');
  if (failed.length > 0) console.log(printTable(report));
  return failed.map(({ id, error }) => `${id}: ${error?.message}`);
}
