import { expect, test } from 'vitest';
import type { StoreSet } from '../../src/set/store-set.ts';
import { expectBroken, expectSound } from '../../../core/test/search/report.ts';
import { search } from '../../../core/test/search/search.ts';
import { modelOf } from './model.ts';
import type { Flaw } from './model.ts';

const setsOf = (...all: readonly string[]): readonly StoreSet[] =>
  all.map((stores) => ({ need: Math.floor(stores.length / 2) + 1, stores: stores.split('') }));

test.each([
  ['abc', 'bcd', 0],
  ['abc', 'cde', 0],
  ['ab', 'ba', 0],
  ['abc', 'c', 1],
])('of %s and %s one at most grants, in each order of their calls, with %i retries', (one, other, retries) => {
  const found = search(modelOf(setsOf(one, other), retries));
  expectSound(`${one} and ${other}`, found);
  expect(found.exhaustive).toBe(true);
});

test.each<[Flaw, string, string]>([
  ['looks first', 'ab', 'ba'],
  ['does not give way', 'ab', 'ba'],
  ['does not wait for all', 'abc', 'bcd'],
])('both grant where a process %s', (flaw, one, other) => {
  const found = search(modelOf(setsOf(one, other), 0, flaw));
  expectBroken(flaw, found, /two sets that conflict grant at once/);
});
