import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { spoil } from '../src/flawed/spoil.ts';
import { flaws } from '../src/migration/flaws.ts';
import { type Move, faultTime, planDrill } from '../src/migration/plan.ts';
import { type StoreName, storeNames } from '../src/migration/stores.ts';
import { createRandom } from '../src/random.ts';

const composites = fileURLToPath(new URL('../../packages/composites/dist', import.meta.url));

/** A drill whose changes take `longest` ms at most, by a random number of that. */
function tour(seed: number, length: number, longest: number, begin?: StoreName) {
  const times = createRandom(seed + 1);
  let now = 0;
  const moves: Move[] = [];
  for (const move of planDrill(createRandom(seed), { length, workers: 4, begin, passed: () => now })) {
    moves.push(move);
    now += times.between(longest / 2, longest);
  }
  return { moves, took: now };
}

test.each([
  [60_000, 15_000],
  [600_000, 25_000],
  [600_000, 60_000],
])('a drill of %i ms whose changes take up to %i ms visits each store, and is over in time', (length, longest) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { moves, took } = tour(seed, length, longest);
    const visited = moves.filter(({ begins }) => begins).map(({ leg }) => leg);
    expect(visited.map(({ from }) => from).toSorted()).toEqual([...storeNames].toSorted());
    expect(visited.map(({ to }) => to)).toEqual(visited.map((_, index) => visited[(index + 1) % 3]?.from));
    // The next leg begins at the store where the one before ended.
    for (const [index, { begins }] of moves.entries()) if (begins) expect(moves[index - 1]?.change.to).not.toBe('from');
    expect(took).toBeLessThanOrEqual(length);
    expect(took).toBeGreaterThan(length / 2);
    for (const { change } of moves) {
      expect(new Set(change.skipping).size).toBe(2);
      // One process is cut off from a store all the time.
      expect(change.faults).toContainEqual(expect.objectContaining({ kind: 'silence', at: 0, duration: faultTime }));
    }
  }
});

test('a drill that is too short for one change has one, from the store that it begins at', () => {
  for (const store of storeNames) {
    const { moves } = tour(1, 0, 20_000, store);
    expect(moves.map(({ leg, change }) => [leg.from, change.to])).toEqual([[store, 'to']]);
  }
});

test.each(Object.entries(flaws))('what takes out the %s fits the code', (_, flaw) => {
  const folder = mkdtempSync(join(tmpdir(), 'locks-flaw-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(composites, join(folder, 'dist'), { recursive: true });
  spoil(folder, flaw);
});
