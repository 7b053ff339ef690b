import { collect } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { successor } from '../../src/sqlite/prefix.ts';
import { ownFile, party } from './support/own.ts';

const keys = [
  'a',
  'A',
  'a ',
  ' a',
  'a\t',
  'ä',
  'a\u0308',
  'Ä',
  'ß',
  'ss',
  'ſ',
  'ı',
  'i',
  'İ',
  '1',
  '01',
  '1.0',
  '1e0',
  'null',
  '%',
  '_',
  "'",
  '"',
  '\\',
  '\u0001',
  '\u007f',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
  '\u{10ffff}\u{10ffff}',
  '😀',
  'é'.repeat(256),
  ':key',
  '?1',
  '$a',
  '@a',
];

const inOrderOfBytes = (texts: readonly string[]): string[] =>
  texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

test('keys are told apart byte by byte, and listed in the order of their bytes', async () => {
  const { locks, provider } = await party(ownFile());
  const leases = [];
  for (const key of keys) {
    const lease = await locks.tryAcquire(key);
    expect(lease, JSON.stringify(key)).not.toBeNull();
    leases.push(lease);
  }
  expect(await collect(provider.list!(''))).toEqual(inOrderOfBytes(keys));
  for (const prefix of [...keys, '\u{10ffff}']) {
    const expected = keys.filter((key) => key.startsWith(prefix));
    expect(await collect(provider.list!(prefix)), JSON.stringify(prefix)).toEqual(inOrderOfBytes(expected));
  }
  for (const lease of leases) expect(await lease?.release()).toBe(true);
  expect(await collect(provider.list!(''))).toEqual([]);
});

test('all that begin with a prefix are before its successor', () => {
  expect(successor('a')).toBe('b');
  expect(successor('a\ud7ff')).toBe('a\ue000');
  expect(successor('a\u{10ffff}\u{10ffff}')).toBe('b');
  expect(successor('\u{10ffff}')).toBeUndefined();
  expect(successor('')).toBeUndefined();
});
