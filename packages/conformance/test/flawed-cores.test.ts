import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { ConformanceOptions } from '@locks/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runConformanceWith } from '../src/harness.ts';
import { blocked, recipes } from './flawed-cores/index.ts';
import { cook } from './flawed-cores/recipe.ts';
import type { CoreRecipe, Meal } from './flawed-cores/recipe.ts';
import { createMutantTable } from './support/mutants.ts';

/** Cheap requirements of all kinds, which a flaw of another kind must not break. */
const control = [
  ...['locks-try', 'locks-counter', 'locks-tokens', 'locks-reentrant', 'locks-reentrant-elsewhere', 'locks-shared'],
  ...['locks-loss-by-force', 'locks-work-throws', 'locks-unknown-renewal-by-hand', 'locks-validity-from-send'],
  ...['locks-lost-reply', 'locks-release-through-outage', 'locks-abort', 'locks-close', 'locks-wake-in-flight'],
];

const table = createMutantTable('flawed cores, and the requirements that caught them');
afterAll(() => console.log(table.print()));

function memory(name: string): ConformanceOptions {
  const store = createMemoryStore();
  return { name, create: () => createMemoryProvider({ store }), ttl: 300, limit: 6_000 };
}

/** All at once and before the first: loading them would hold up those that run. */
const meals = new Map<CoreRecipe, Meal>();
beforeAll(() => {
  for (const recipe of [...recipes, ...blocked]) meals.set(recipe, cook(recipe));
});
afterAll(() => {
  for (const { remove } of meals.values()) remove();
});

async function mustBeCaught(recipe: CoreRecipe): Promise<void> {
  const { core } = meals.get(recipe) as Meal;
  // Where everything builds on what is broken, the others prove nothing.
  const others = recipe.mayAlsoFail?.includes('*') ? [] : control;
  const only = [...new Set([...recipe.caughtBy, ...others])];
  table.judge(recipe, await runConformanceWith(core, { ...memory(recipe.name), only }));
}

describe.concurrent('flawed cores', () => {
  for (const recipe of recipes) test(recipe.name, () => mustBeCaught(recipe));
});

describe('flawed cores that show when the event loop is blocked', () => {
  for (const recipe of blocked) test(recipe.name, () => mustBeCaught(recipe));
});

test('a copy of the core with nothing changed passes', async () => {
  const file = 'pace.js';
  const { core, remove } = cook({
    name: 'sound',
    file,
    find: 'const firstPoll',
    replace: 'const firstPoll',
    caughtBy: [],
  });
  const only = [...new Set([...recipes, ...blocked].flatMap(({ caughtBy }) => caughtBy))];
  const { results } = await runConformanceWith(core, { ...memory('sound'), only });
  remove();
  expect(
    results.filter(({ status }) => status !== 'passed').map(({ id, error }) => `${id}: ${error?.message}`),
  ).toEqual([]);
});

test('a recipe that does not fit the core any more is refused', () => {
  const recipe = { name: 'no such place', file: 'pace.js', find: 'no such text', replace: '', caughtBy: [] };
  expect(() => cook(recipe)).toThrow('must have this exactly once');
  expect(() => cook({ ...recipe, find: 'return ' })).toThrow('must have this exactly once');
});
