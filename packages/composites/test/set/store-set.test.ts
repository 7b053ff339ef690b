import { expect, test } from 'vitest';
import { conflictOf, mayBeEmptied, presenceLabel, readOwner, twinsOf } from '../../src/set/store-set.ts';
import type { StoreSet } from '../../src/set/store-set.ts';

const setOf = (stores: string, need = Math.floor(stores.length / 2) + 1): StoreSet => ({
  need,
  stores: stores.split(''),
});

/** All choices of `need` of `stores`. */
function quorums(stores: readonly unknown[], need: number): readonly (readonly unknown[])[] {
  if (need === 0) return [[]];
  return stores.flatMap((store, index) =>
    quorums(stores.slice(index + 1), need - 1).map((others) => [store, ...others]),
  );
}

test('sets conflict exactly where a quorum of one and a quorum of the other have no common store', () => {
  const all = 'abcdefg'.split('');
  let conflicts = 0;
  const sets = [1, 2, 3, 4, 5].flatMap((count) =>
    quorums(all, count).flatMap((stores) => [
      setOf(stores.join('')),
      // All of them.
      setOf(stores.join(''), count),
    ]),
  );
  for (const one of sets) {
    for (const other of sets) {
      const disjoint = quorums(one.stores, one.need).some((left) =>
        quorums(other.stores, other.need).some((right) => left.every((store) => !right.includes(store))),
      );
      if (disjoint) conflicts += 1;
      if ((conflictOf(one, other) === 'stores') !== disjoint) expect([one, other, disjoint]).toEqual([]);
    }
  }
  expect(conflicts).toBeGreaterThan(1_000);
});

test.each([
  ['abc', 'abcd', undefined],
  ['abcd', 'bcd', undefined],
  ['abc', 'bcd', 'stores'],
  ['abc', 'abx', 'stores'],
  ['abc', 'abcde', 'stores'],
  ['abcd', 'abcde', undefined],
  ['abc', 'cba', 'order'],
  ['abc', 'axbyc', 'stores'],
])('%s beside %s: %s', (one, other, expected) => {
  expect(conflictOf(setOf(one), setOf(other))).toBe(expected);
  expect(conflictOf(setOf(other), setOf(one))).toBe(expected);
});

test('a store that did not tell its id yet may be any, so it refuses nothing that it could allow', () => {
  const unknown = (set: StoreSet, index: number): StoreSet => ({ ...set, stores: set.stores.with(index, undefined) });
  expect(conflictOf(unknown(setOf('abc'), 2), setOf('abd'))).toBeUndefined();
  expect(conflictOf(unknown(setOf('abc'), 0), unknown(setOf('abc'), 1))).toBeUndefined();
  expect(conflictOf(unknown(setOf('abc'), 1), setOf('cde'))).toBe('stores');
});

test('a set may be the same one with an emptied member, where only ids at the same places differ', () => {
  expect(mayBeEmptied(setOf('abc'), setOf('axc'))).toBe(true);
  expect(mayBeEmptied(setOf('abc'), setOf('bcd'))).toBe(false);
  expect(mayBeEmptied(setOf('abc'), setOf('abcd'))).toBe(false);
});

test('one store by two names is found', () => {
  expect(twinsOf(setOf('abca'))).toEqual([0, 3]);
  expect(twinsOf({ need: 2, stores: [undefined, undefined, 'a'] })).toBeUndefined();
});

test('an owner tells the process and its set, however long the name of the host', () => {
  const set: StoreSet = { need: 9, stores: Array.from({ length: 16 }, (_, index) => `${index}`.padStart(10, 'x')) };
  for (const process of ['host:1', 'a!3!b:1', 'h'.repeat(80)]) {
    const owner = `${presenceLabel(process, set)}/unique-unique-id.0~a`;
    expect(owner.length).toBeLessThanOrEqual(250);
    expect(process).toMatch(`${readOwner(owner)?.process}`);
    expect(readOwner(owner)?.set).toEqual(set);
  }
  expect(readOwner('host:1/unique.0')).toBeUndefined();
});
