import { expect, test } from 'vitest';
import { judgeLeases, leaseName } from '../../src/line/leases.ts';
import { numbered, uuidOf } from '../../src/line/names.ts';

const lease = (index: number, permits?: number): string =>
  numbered(leaseName({ owner: `test/${index}`, ...(permits === undefined ? {} : { permits }) }), index);
const foreign = (index: number): string => `_c_706101c7-325d-432c-a62c-48ec96deffcd-lease-000000000${index}`;

test('names tell whose they are and how many there may be', () => {
  expect(lease(7)).toBe(`_c_${uuidOf('test/7')}-lease-0000000007`);
  expect(lease(7, 3)).toBe(`_c_${uuidOf('test/7')}-of-3-lease-0000000007`);
});

test('as many as there are permits, in any order', () => {
  expect(judgeLeases([lease(2, 2), foreign(1)], lease(2, 2), 2)).toEqual({ state: 'holds' });
  expect(judgeLeases([lease(2, 2), foreign(3)], lease(2, 2), 2)).toEqual({ state: 'holds' });
  expect(judgeLeases([foreign(1)], lease(2, 2), 2)).toEqual({ state: 'missing' });
});

test('whoever waits is woken before there are few enough', () => {
  const own = lease(9, 3);
  const names = [foreign(1), foreign(2), own, foreign(3), foreign(4), foreign(5)];
  const verdict = judgeLeases(names, own, 3);
  if (verdict.state !== 'waits') throw new Error(`It is told ${verdict.state}.`);
  const others = names.filter((name) => name !== own);
  for (let gone = 0; gone < 2 ** others.length; gone += 1) {
    const left = others.filter((_, index) => ((gone >> index) & 1) === 0);
    if (verdict.watch.every((name) => left.includes(name))) {
      expect(judgeLeases([own, ...left], own, 3).state).toBe('waits');
    }
  }
});

test('another number of permits is refused', () => {
  expect(judgeLeases([lease(1, 2), foreign(3), lease(2, 3)], lease(2, 3), 3)).toEqual({ state: 'refused', inUse: 2 });
});
