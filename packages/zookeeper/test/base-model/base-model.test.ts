import { describe, expect, test } from 'vitest';
import { explore } from './explore.ts';
import { broken, production } from './rules.ts';
import type { World } from './steps.ts';

const x = { mode: 'exclusive' } as const;
const s = { mode: 'shared' } as const;

/** The smallest first. */
const worlds: Readonly<Record<string, World>> = {
  'two exclusive, two raises': { wishes: [x, x], raises: 2 },
  'two exclusive, a raise and a removal': { wishes: [x, x], raises: 1, by: [2], removals: 1 },
  'two sharers, a raise': { wishes: [s, s], raises: 1, by: [1, 2] },
  'a sharer and an exclusive one, two raises': { wishes: [s, x], raises: 2 },
  'three exclusive, a removal': { wishes: [x, x, x], removals: 1 },
  'three exclusive, a raise': { wishes: [x, x, x], raises: 1 },
  'two floors, a raise': {
    wishes: [
      { ...x, floor: 4 },
      { ...x, floor: 6 },
    ],
    raises: 1,
  },
  'two floors, a removal': {
    wishes: [
      { ...x, floor: 4 },
      { ...x, floor: 6 },
    ],
    removals: 1,
  },
  'two later tokens, a raise': {
    wishes: [
      { ...x, renew: 3 },
      { ...x, renew: 3 },
    ],
    raises: 1,
  },
  'two later tokens, a removal': {
    wishes: [
      { ...x, renew: 3 },
      { ...x, renew: 3 },
    ],
    removals: 1,
  },
  'a later token before sharers': { wishes: [{ ...x, renew: 3 }, s, s] },
  'a later token, a floor and one more': { wishes: [{ ...x, renew: 3 }, { ...x, floor: 6 }, x] },
  'floors of a sharer and an exclusive one': {
    wishes: [
      { ...s, floor: 4 },
      { ...x, floor: 9 },
    ],
    removals: 1,
  },
};

describe('tokens keep law 4, whatever happens in which order', () => {
  const happened = new Set<string>();

  test.each(Object.entries(worlds))('%s', (_, world) => {
    const { states, violation, seen } = explore(world, production);
    console.log(_, states, [...seen].join('; '));
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(1_000);
    for (const name of seen) happened.add(name);
  });

  test('everything that can happen did', () => {
    expect([...happened].toSorted()).toEqual([]);
  });
});

describe('and do not if', () => {
  test.each(Object.entries(broken))('%s', (_, rules) => {
    const found = Object.entries(worlds).find(([name, world]) => {
      const { violation } = explore(world, rules, 10_000);
      if (violation) console.log(_, '//', name, JSON.stringify(violation));
      return violation !== undefined;
    });
    expect(found).toBeDefined();
  });
});
