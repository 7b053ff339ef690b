import { expect, test } from 'vitest';
import { recipes } from './flawed-cores/index.ts';
import { change } from './flawed-cores/recipe.ts';

// Here, as the long tests that run them are not run with each change of core.
test('each recipe of a flawed core finds its place in the core as it is', () => {
  const places = recipes.map((recipe) => ({ name: recipe.name, problem: problemOf(() => change(recipe)) }));
  expect(places.length).toBeGreaterThan(50);
  expect(places.filter(({ problem }) => problem !== undefined)).toEqual([]);
});

function problemOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
