import { expect, it } from 'vitest';
import { following, promise, readVersioned, taken } from '../../../core/src/options/versioned-text.ts';
import { settledOf, wasMade } from '../../src/combine/register-votes.ts';

const text = { version: 14, origin: 12, before: 9, value: 'text' };

it('a text with its versions is read as it was written', () => {
  expect(taken(text)).toBe('14.23:text');
  expect(readVersioned('14.23:text')).toEqual({ ...text, promised: 14, text: '14.23:text' });
  const promised = promise(60, 'tag', readVersioned('14.23:text'));
  expect(readVersioned(promised)).toEqual({ ...text, promised: 60, text: promised });
  expect(readVersioned(following(readVersioned(promised), undefined))).toMatchObject({ version: 61, value: undefined });
  // An origin of too many versions ago is left out.
  expect(taken({ ...text, before: -1 })).toBe('14:text');
  expect(taken({ ...text, version: 50 })).toBe('50:text');
  for (const plain of ['1;2;3', '1;2:3', '~a', 'a:b', 'id%3A~x']) {
    expect(readVersioned(plain)).toMatchObject({ version: 0, promised: 0, value: plain });
  }
  expect(readVersioned(promise(2, 'tag', readVersioned(undefined)))).toMatchObject({ version: -1, promised: 2 });
});

it.each([
  [[], 12, 9, false],
  [[12], 12, 9, true],
  [[9], 12, 9, true],
  [[10], 12, 9, false],
  [[10, 13], 12, 9, false],
  [[8], 12, 9, undefined],
  [[10], 12, -1, undefined],
])('a change proposed in %j, where %i follows %i: made is %s', (own, origin, before, made) => {
  expect(wasMade(own, { ...readVersioned(undefined), origin, before })).toBe(made);
});

it('members that have nothing settle nothing beside one that has a text', () => {
  const [none, one] = [readVersioned(undefined), readVersioned('3:a')];
  expect(settledOf([none, none, none], 2)).toBe(none);
  expect(settledOf([none, none, one], 2)).toBeUndefined();
  expect(settledOf([none, one, one], 2)).toBe(one);
});
