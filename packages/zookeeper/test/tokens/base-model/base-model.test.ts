import { describe, expect, test } from 'vitest';
import { search } from '../../../../core/test/search/search.ts';
import { modelOf } from './model.ts';
import { broken, production } from './rules.ts';
import type { World } from './steps.ts';

const x = { mode: 'exclusive' } as const;
const s = { mode: 'shared' } as const;

/** The smallest first. */
const worlds = {
  'two exclusive, two raises': { wishes: [x, x], raises: 2 },
  'two exclusive, a raise and a removal': { wishes: [x, x], raises: 1, by: [2], removals: 1 },
  'two exclusive that have not read, a raise and a removal': {
    wishes: [x, x],
    raises: 1,
    by: [2],
    removals: 1,
    unread: true,
  },
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
} as const satisfies Readonly<Record<string, World>>;

describe('tokens keep law 4, whatever happens in which order', () => {
  const happened = new Set<string>();

  test.each(Object.entries(worlds))('%s', (_, world) => {
    const { states, problem } = search(modelOf(world, production, happened));
    expect(problem).toBeUndefined();
    expect(states).toBeGreaterThan(1_000);
  });

  test('everything that can happen did', () => {
    expect([...happened].toSorted()).toEqual([
      'cannot write its node',
      'has its node removed',
      'has renewed',
      'is gone',
      'is granted',
      'is lost',
      'is told of another raise',
      'lists',
      'makes its node',
      'others raise the base',
      'raises the base',
      'reads the base',
      'releases',
      'sees one more',
      'wants to raise the base',
      'wants to raise the base for a later token',
      'wants to renew',
      'wants to write its node',
      'writes its node',
    ]);
  });
});

/** Where each is missed. */
const missed: Readonly<Record<keyof typeof broken, keyof typeof worlds>> = {
  'the base is read before the wait': 'two later tokens, a raise',
  'the base is kept without regard to the order of its event and the replies': 'two exclusive, two raises',
  'the base is raised without compare-and-set': 'two later tokens, a raise',
  'the base goes with the parent of the contenders': 'two exclusive, two raises',
  'the base may be newer than the list': 'two exclusive that have not read, a raise and a removal',
  'sharers from before a raise take their token as it comes': 'two sharers, a raise',
  'who was there before a raise takes the transaction of a write of its own': 'two exclusive, two raises',
  'the floor is not looked at': 'two floors, a raise',
  'a later token is not made known': 'two later tokens, a raise',
};

describe('and do not if', () => {
  test.each(Object.entries(broken))('%s', (name, rules) => {
    const model = modelOf(worlds[missed[name as keyof typeof broken]], rules);
    expect(search(model, { states: 50_000 }).problem).toMatch(/is given|does not exceed/);
  });
});
