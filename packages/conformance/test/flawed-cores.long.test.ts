import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';
import type { ConformanceOptions } from '@locks/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runConformanceWith } from '../src/harness.ts';
import { recipes } from './flawed-cores/index.ts';
import { cook } from './flawed-cores/recipe.ts';
import type { CoreRecipe, Meal } from './flawed-cores/recipe.ts';
import { createMutantTable, requirementsFor } from './support/mutants.ts';

/** Cheap requirements of all kinds, which a flaw of another kind must not break. */
const control = [
  ...['locks-try', 'locks-reentrant', 'locks-reentrant-elsewhere', 'locks-shared'],
  ...['locks-loss-by-force', 'locks-work-throws', 'locks-unknown-renewal-by-hand', 'locks-validity-from-send'],
  ...['locks-repeats-its-claim', 'locks-release-through-outage', 'locks-abort', 'locks-close', 'locks-wake-in-flight'],
];

const table = createMutantTable('flawed cores, and the requirements that caught them');
afterAll(() => console.log(table.print()));

/** How long a requirement waits before it fails, in ms: mutants make many of them wait. */
const patience = 1_500;

function memory({
  name,
  sessions = false,
  registers = true,
}: Pick<CoreRecipe, 'name' | 'sessions' | 'registers'>): ConformanceOptions {
  const store = createMemoryStore();
  const create = (): LockProvider => {
    const provider = createMemoryProvider({ store });
    if (!registers) Object.defineProperty(provider, 'register', { value: undefined });
    if (sessions) Object.defineProperty(provider, 'traits', { value: { ...provider.traits, expiry: 'session' } });
    return provider;
  };
  return { name, create, ttl: 250, limit: 4_000 };
}

/** All at once and before the first: loading them would hold up those that run. */
const meals = new Map<CoreRecipe, Meal | Error>();
beforeAll(() => {
  for (const recipe of recipes) meals.set(recipe, tryToCook(recipe));
}, 60_000);
afterAll(() => {
  for (const meal of meals.values()) if (!(meal instanceof Error)) meal.remove();
}, 60_000);

/** A recipe that does not fit the core any more fails its own test alone. */
function tryToCook(recipe: CoreRecipe): Meal | Error {
  try {
    return cook(recipe);
  } catch (error) {
    return error as Error;
  }
}

async function mustBeCaught(recipe: CoreRecipe): Promise<void> {
  const meal = meals.get(recipe) as Meal | Error;
  if (meal instanceof Error) throw meal;
  const { core } = meal;
  await table.judge(recipe, requirementsFor(recipe, control), (only) =>
    runConformanceWith(core, { ...memory(recipe), only }, patience),
  );
}

describe.concurrent('flawed cores', () => {
  for (const recipe of recipes.filter(({ alone }) => alone !== true)) test(recipe.name, () => mustBeCaught(recipe));

  test.each([
    { sessions: false, registers: true },
    { sessions: true, registers: true },
    { sessions: false, registers: false },
  ])('a copy of the core with nothing changed passes, with %o', async ({ sessions, registers }) => {
    const { core, remove } = cook({
      name: 'sound',
      find: 'const firstPoll',
      replace: 'const firstPoll',
      caughtBy: [],
    });
    const together = recipes.filter(({ alone }) => alone !== true);
    const ids = together
      .filter((recipe) => (recipe.sessions ?? false) === sessions && (recipe.registers ?? true) === registers)
      .flatMap(({ caughtBy }) => caughtBy);
    const only = [...new Set([...ids, ...(sessions || !registers ? [] : control)])];
    const { results } = await runConformanceWith(
      core,
      { ...memory({ name: 'sound', sessions, registers }), only },
      patience,
    );
    remove();
    expect(
      results.filter(({ status }) => status !== 'passed').map(({ id, error }) => `${id}: ${error?.message}`),
    ).toEqual([]);
  });
});

describe('flawed cores that show in an event loop of their own', () => {
  for (const recipe of recipes.filter(({ alone }) => alone === true)) test(recipe.name, () => mustBeCaught(recipe));
});

test('a recipe that does not fit the core any more is refused', () => {
  const recipe = { name: 'no such place', find: 'no such text', replace: '', caughtBy: [] };
  expect(() => cook(recipe)).toThrow('must have this exactly once, so that the recipe can change it. It is nowhere');
  expect(() => cook({ ...recipe, find: 'return ' })).toThrow('It is in ');
});
