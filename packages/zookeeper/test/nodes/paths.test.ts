import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { baseName, childPath, decodeKey, encodeKey } from '../../src/nodes/paths.ts';

/** Every string that is a key, of all of Unicode. */
const keys = fc
  .string({
    unit: fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...Array.from('%/@.2F0Aé\u{1f600}')),
    ),
    minLength: 1,
    maxLength: 120,
  })
  .filter((key) => key.isWellFormed() && !key.includes('\0') && Buffer.byteLength(key) <= 512);

/** `PathUtils.validatePath` of ZooKeeper 3.8, for one name. */
function isRefused(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return true;
  return Array.from({ length: name.length }, (_, index) => name.charCodeAt(index)).some(
    (unit) =>
      unit <= 0x1f ||
      (unit >= 0x7f && unit <= 0x9f) ||
      (unit >= 0xd800 && unit <= 0xf8ff) ||
      (unit >= 0xfff0 && unit <= 0xffff),
  );
}

test('a name leads back to its key, and ZooKeeper takes it', () => {
  fc.assert(
    fc.property(keys, (key) => {
      const name = encodeKey(key);
      expect(decodeKey(name)).toBe(key);
      expect(isRefused(name)).toBe(false);
      expect(name.startsWith('@')).toBe(false);
      expect(name).not.toBe('zookeeper');
    }),
    { numRuns: 3_000 },
  );
});

test('each character has a name', () => {
  for (let code = 1; code <= 0x10_ff_ff; code += code > 0xff_ff ? 0x3_01 : 1) {
    const key = String.fromCodePoint(code);
    if (!key.isWellFormed()) continue;
    const name = encodeKey(key);
    if (isRefused(name) || decodeKey(name) !== key) expect.fail(`U+${code.toString(16)} is ${name}`);
  }
});

test('what no key is called has no key', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('%2F0aAe9@./é')), maxLength: 12 }), (name) => {
      const key = decodeKey(name);
      if (key !== undefined) expect(encodeKey(key)).toBe(name);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['orders:42', 'orders:42'],
  ['orders/42', 'orders%2F42'],
  ['100%', '100%25'],
  ['@base', '%40base'],
  ['a@b', 'a@b'],
  ['.', '%2E'],
  ['..', '%2E.'],
  ['...', '...'],
  ['zookeeper', '%7Aookeeper'],
  ['schlüssel', 'schlüssel'],
  ['\t\u0085', '%09%C2%85'],
  ['\u{1f600}', '%F0%9F%98%80'],
])('%j is called %s', (key, name) => {
  expect(encodeKey(key)).toBe(name);
  expect(decodeKey(name)).toBe(key);
});

test.each([
  baseName,
  '@other',
  'zookeeper',
  '.',
  '..',
  '',
  '%2f',
  '%61',
  '%',
  '%zz',
  '%00',
  '%C3%28',
  '%2E%2E',
  'a/b',
  'x'.repeat(513),
])('%j is the name of no key', (name) => {
  expect(decodeKey(name)).toBeUndefined();
});

test('a path under the root', () => {
  expect(childPath('/', 'a')).toBe('/a');
  expect(childPath('/locks', 'a')).toBe('/locks/a');
});
