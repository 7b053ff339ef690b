import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { spoil } from '../src/flawed/spoil.ts';
import { flaws } from '../src/migration/flaws.ts';
import { faultTime, planDrill } from '../src/migration/plan.ts';
import { storeNames } from '../src/migration/stores.ts';
import { createRandom } from '../src/random.ts';

const composites = fileURLToPath(new URL('../../packages/composites/dist', import.meta.url));

test('a drill of a minute visits each store, and one migration goes back and forth', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const plan = planDrill(createRandom(seed), 60_000, 4);
    expect(plan.map(({ leg }) => leg.from).toSorted()).toEqual([...storeNames].toSorted());
    expect(plan.map(({ leg }) => leg.to)).toEqual(plan.map((_, index) => plan[(index + 1) % plan.length]?.leg.from));
    const turns = plan.map(({ changes }) => changes.map(({ to }) => to));
    expect(turns).toContainEqual(['to', 'from', 'to']);
    for (const { skipping, faults } of plan.flatMap(({ changes }) => changes)) {
      expect(new Set(skipping).size).toBe(2);
      // One process is cut off from a store all the time.
      expect(faults).toContainEqual(expect.objectContaining({ kind: 'silence', at: 0, duration: faultTime }));
    }
  }
});

test('a drill that begins at a store has its first migration from there', () => {
  for (const store of storeNames) {
    const plan = planDrill(createRandom(1), 0, 4, store);
    expect(plan.map(({ leg, changes }) => [leg.from, changes.length])).toEqual([[store, 1]]);
  }
});

test.each(Object.entries(flaws))('what takes out the %s fits the code', (_, flaw) => {
  const folder = mkdtempSync(join(tmpdir(), 'locks-flaw-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(composites, join(folder, 'dist'), { recursive: true });
  spoil(folder, flaw);
});
