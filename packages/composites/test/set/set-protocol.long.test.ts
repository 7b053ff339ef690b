import { expect, test } from 'vitest';
import { problemOf, search } from '../../../core/test/search/search.ts';
import { modelOf } from './model.ts';
import type { Story } from './model-state.ts';

/** In ms: on a machine that does other things too a search takes a minute. */
const timeout = 180_000;

const replaced: Story = { first: 'abc', processes: ['abc', 'bcd'], changes: ['abcd', 'bcd'] };
const grown: Story = { first: 'abc', processes: ['abc', 'abcde'], changes: ['abcd', 'abcde'] };
const both: Story = { first: 'abcd', processes: ['bcd', 'acd'], changes: ['bcd', 'acd', 'acd'], simultaneous: true };

test.each([
  ['a member is replaced, and one emptied', { ...replaced, starts: 2, emptied: 1 }],
  ['three become five', grown],
  ['two changes are simultaneous, and one is forced after both failed', both],
])('%s: sets with disjoint majorities are never in use together', { timeout }, (_title, story) => {
  const found = search(modelOf(story));
  expect([problemOf(found), found.exhaustive]).toEqual([undefined, true]);
});

test.each<[string, Story]>([
  ['an operator does not wait for processes of the set before the last', { ...replaced, flaw: 'no rule' }],
  ['a change is made without a proposal', { ...both, flaw: 'no proposal' }],
])('they are where %s', { timeout }, (_title, story) => {
  expect(search(modelOf(story)).problem).toMatch(/two sets with disjoint majorities/);
});
