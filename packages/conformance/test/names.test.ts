import { expect, test } from 'vitest';
import { longNames, oddNames, wholeNames } from '../src/requirements/odd-names.ts';

test('odd, long and whole names are valid keys, and different byte by byte', () => {
  for (const names of [oddNames('c0ffee-names-0'), longNames('c0ffee-names-0'), wholeNames]) {
    const bytes = names.map((name) => Buffer.from(name).toString('hex'));
    expect(bytes.toSorted().filter((each, index, sorted) => each === sorted[index - 1])).toEqual([]);
    for (const name of names) {
      expect(name.isWellFormed()).toBe(true);
      expect(name).not.toContain('\0');
      expect(Buffer.byteLength(name)).toBeGreaterThan(0);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(512);
    }
  }
});

test('the longest names have exactly 512 bytes', () => {
  const lengths = longNames('c0ffee-names-0').map((name) => Buffer.byteLength(name));
  expect(lengths.filter((length) => length === 512).length).toBeGreaterThan(10);
});
