import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { requirements } from '@locks/conformance';
import type { Requirement } from '@locks/conformance';
import { expect, test } from 'vitest';
import { root } from './support/repository.ts';

type Chosen = (requirement: Requirement) => boolean;

/** No file of a store is in the everyday tests that runs these on it. */
type Left = (requirement: Requirement) => boolean;

const none: Left = () => false;
/** Core above a store: others run it. */
const aboveTheStore: Left = ({ level }) => level === 'locks';
/** There are no connections to a server. */
const needsServer: Left = ({ needs = [] }) => needs.some((need) => need !== 'processes' && need !== 'createOther');

const stores: readonly (readonly [tests: string, selection: string, left: Left])[] = [
  ['redis/test/conformance', 'redis/test/support/requirements.ts', none],
  ['sql/test/postgres/conformance', 'sql/test/support/selection.ts', none],
  ['sql/test/mysql/conformance', 'sql/test/support/selection.ts', aboveTheStore],
  ['sql/test/sqlite/conformance', 'sql/test/support/selection.ts', (one) => aboveTheStore(one) || needsServer(one)],
  ['etcd/test/conformance', 'etcd/test/support/requirements.ts', aboveTheStore],
  [
    'zookeeper/test/conformance',
    'zookeeper/test/support/selection.ts',
    (one) => (needsServer(one) && aboveTheStore(one)) || one.needs?.includes('processes') === true,
  ],
];

/** The names that a file imports from the modules with selections. */
function selectionsOf(file: string): readonly string[] {
  return [
    ...file.matchAll(/import \{ ([^}]+) \} from '[./]+(?:[\w/]+\/)?support\/(?:selection|requirements)\.ts'/g),
  ].flatMap(([, names = '']) => names.split(', '));
}

const shared = join(root, 'packages/conformance/test/support/selection.ts');

test.each(stores)('each requirement is run by a file of the everyday run: %s', async (tests, module, left) => {
  const folder = join(root, 'packages', tests);
  const selections = {
    ...((await import(shared)) as Readonly<Record<string, Chosen>>),
    ...((await import(join(root, 'packages', module))) as Readonly<Record<string, Chosen>>),
  };
  const run: Chosen[] = [];
  for (const name of readdirSync(folder).filter((file) => /^[^.]+(\.long)?\.test\.ts$/.test(file))) {
    const file = readFileSync(join(folder, name), 'utf8');
    if (!/\b(suite|conformanceTests)\(/.test(file)) continue;
    const chosen = selectionsOf(file);
    // Each name is all that a suite runs: a part of it would count as all.
    expect(chosen.length, `${tests}/${name} names a selection`).toBeGreaterThan(0);
    for (const each of chosen)
      expect(file, `${tests}/${name} runs all of ${each}`).toMatch(new RegExp(`(?:,|only:)\\s*${each}\\s*[,)]`));
    for (const each of chosen) run.push(selections[each] as Chosen);
  }
  const missing = requirements.filter((one) => !left(one) && !run.some((chosen) => chosen(one)));
  expect(missing.map(({ id }) => id)).toEqual([]);
});
