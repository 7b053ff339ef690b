import { createLocks } from '@locks/core';
import { expect, test } from 'vitest';
import type { Core } from '../../src/context/core.ts';
import { cook } from '../flawed-cores/recipe.ts';
import { flaws } from './flaws.ts';
import { findBroken } from './trial.ts';

/** How long a trial may take, in ms. With less, it fails on a busy machine. */
const longest = 8_000;

async function tryOut(core: Core): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve(['it did not end in time']), longest);
  });
  const broken = await Promise.race([findBroken(core), overdue]);
  clearTimeout(timer);
  return broken;
}

test('claims that pass keys on keep their promises', async () => {
  expect(await tryOut({ createLocks })).toEqual([]);
});

test.each(flaws)('what is wrong is found: $name', { timeout: 60_000 }, async ({ says, ...flaw }) => {
  const { core, remove } = cook({ ...flaw, caughtBy: [] });
  const broken = await tryOut(core);
  remove();
  expect(broken).toContainEqual(expect.stringMatching(says));
});
