import { collect } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { successor } from '../../src/sqlite/prefix.ts';
import { connect, databases, withTables } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';

const keys = [
  ...['a', 'A', 'a ', ' a', 'a\t', 'á', 'a\u0301', '\uFF41', 'ä', 'a\u0308', 'Ä', 'ß', 'ss', 'ſ', 'ı', 'i', 'İ'],
  ...['1', '01', '1.0', '1e0', 'null', '%', '_', "'", '"', '\\', 'a\\b', "a'b", '\\x41', ':key', '?1', '$a', '@a'],
  ...['\u0001', '\u007f', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '\u{10ffff}\u{10ffff}'],
  ...['鎖', '😀', '😁', 'é'.repeat(256), 'x'.repeat(512), '鎖'.repeat(170)],
];

const inOrderOfBytes = (texts: readonly string[]): string[] =>
  texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

test.each([
  ['Postgres', "ENCODING 'UTF8'"],
  ['Postgres', "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"],
  ['Postgres', "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"],
  ['MariaDB', 'CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci'],
  ['MariaDB', 'CHARACTER SET latin1 COLLATE latin1_swedish_ci'],
  ['MariaDB', 'CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci'],
  ['SQLite', ''],
] as const)(
  'on %s keys are the bytes that they are, and listed in the order of their bytes: %s',
  async (on, setting) => {
    const database = databases.find(({ name }) => name === on)!;
    const { url, knex } = await withTables({ ...database, create: () => database.create(setting) });
    const client = on === 'MariaDB' ? connect(url, { connection: { uri: url, charset: 'latin1_swedish_ci' } }) : knex;
    const { locks, provider } = locksOver(client, {}, { ttl: 60_000, wait: 20_000 });
    const leases = await Promise.all(keys.map((key) => locks.acquire(key)));
    for (const { key, owner } of leases) expect((await locks.inspect(key)).holders, key).toMatchObject([{ owner }]);
    for (const prefix of ['', ...keys]) {
      const expected = inOrderOfBytes(keys.filter((key) => key.startsWith(prefix)));
      expect(await collect(provider.list!(prefix)), JSON.stringify(prefix)).toEqual(expected);
    }
    for (const lease of leases) expect(await lease.release()).toBe(true);
    expect(await collect(provider.list!(''))).toEqual([]);
  },
);

test('all that begin with a prefix are before its successor', () => {
  expect(successor('a')).toBe('b');
  expect(successor('a\ud7ff')).toBe('a\ue000');
  expect(successor('a\u{10ffff}\u{10ffff}')).toBe('b');
  expect(successor('\u{10ffff}')).toBeUndefined();
  expect(successor('')).toBeUndefined();
});
