import { expect, test } from 'vitest';
import { mint, raiseFor, raisedData, readBase } from '../../src/tokens/base.ts';
import type { Base } from '../../src/tokens/base.ts';

const stat = { ctime: 1_700_000_000_000n, mzxid: 7n, version: 3 };
const begin = 1_700_000_000_000_000n;
const path = '/locks/@base';

const read = (text: string): Base => readBase(Buffer.from(text), stat, path);

test('it begins with the server’s clock, and never falls below it', () => {
  expect(read('')).toEqual({ value: begin, previous: begin, mzxid: 7n, version: 3 });
  expect(read('5 4')).toEqual({ value: begin, previous: begin, mzxid: 7n, version: 3 });
  expect(read(`${begin + 9n} 4`)).toEqual({ value: begin + 9n, previous: begin, mzxid: 7n, version: 3 });
});

test('a raise is read as it was written', () => {
  const base = read('');
  expect(readBase(raisedData(base, begin + 5n), stat, path)).toMatchObject({ value: begin + 5n, previous: begin });
});

test.each(['hello', '1', '1 2 3', '-1 0', ' ', '1 2\n'])('%j is not overwritten', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'LOCK_MISCONFIGURED' }));
  expect(() => read(text)).toThrow('/locks/@base');
  expect(() => read(text)).toThrow('remove the node');
});

test('what no client could read is not written, and a time that is none is not read', () => {
  const unavailable = expect.objectContaining({ code: 'LOCK_UNAVAILABLE' }) as Error;
  const start = read('');
  expect(readBase(raisedData(start, 10n ** 18n - 1n), stat, path).value).toBe(10n ** 18n - 1n);
  for (const to of [10n ** 18n, -1n, begin - 1n]) expect(() => raisedData(start, to)).toThrow(unavailable);
  for (const ctime of [-1n, 10n ** 15n]) {
    expect(() => readBase(Buffer.alloc(0), { ...stat, ctime }, path)).toThrow(unavailable);
  }
  expect(() => mint({ order: -60n, mode: 'exclusive' }, start, 61n)).toThrow(unavailable);
});

const base: Base = { value: 1_000n, previous: 400n, mzxid: 50n, version: 1 };

test('a floor raises the base, by a second more than it must', () => {
  const place = { order: 60n, mode: 'exclusive', floor: 1_060n } as const;
  expect(mint(place, base, 61n)).toEqual({ state: 'raise', to: 1_001n + 1_000_000n });
  expect(mint(place, base, 61n, { clock: 0n })).toEqual({ state: 'raise', to: 1_001n });
});

test('a later token raises the base only if later holders could fall behind it', () => {
  expect(raiseFor(1_060n, 60n, base)).toBeUndefined();
  expect(raiseFor(1_061n, 60n, base, { clock: 0n })).toBe(1_001n);
  expect(raiseFor(1_061n, 60n, base)).toBe(1_001_001n);
});
