import { expect, test } from 'vitest';
import { expectBroken, expectSound } from '../../../core/test/search/report.ts';
import { search } from '../../../core/test/search/search.ts';
import { modelOf } from './model.ts';
import type { Story } from './model.ts';

const replaced: Story = { first: 'abc', processes: ['abc', 'bcd'], changes: ['abcd', 'bcd'], emptied: 1, starts: 2 };
const grown: Story = { first: 'abc', processes: ['abc', 'abcde'], changes: ['abcd', 'abcde'], emptied: 1, starts: 2 };
const both: Story = {
  first: 'abcd',
  processes: ['bcd', 'acd'],
  changes: ['bcd', 'acd', 'acd'],
  simultaneous: true,
  starts: 1,
};

test.each([
  ['a member is replaced, and one emptied', replaced],
  ['three become five, and one is emptied', grown],
  ['two changes are simultaneous, and one is forced after both failed', both],
])('%s: sets with disjoint majorities are never in use together', (title, story) => {
  const found = search(modelOf(story), { states: 600_000 });
  expectSound(title, found);
  expect(found.exhaustive).toBe(true);
});

test.each<[string, Story]>([
  ['an operator does not wait for processes of the set before the last', { ...replaced, flaw: 'no rule' }],
  ['three become five while processes of the three run', { ...grown, flaw: 'no rule' }],
  ['a change is made without a proposal', { ...both, flaw: 'no proposal' }],
])('they are where %s', (title, story) => {
  expectBroken(title, search(modelOf(story), { states: 2_000_000 }), /two sets with disjoint majorities/);
});
