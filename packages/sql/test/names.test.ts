import { describe, expect, test } from 'vitest';
import { rendered } from '../src/dialect/layout/names.ts';

describe('the names in a statement', () => {
  const sql =
    'UPDATE "locks" SET owner = \'locks\' FROM "locks_queue" WHERE "other_locks" = locks AND "locks_acquire"(1)';

  test('are quoted and begin with the table', () => {
    expect(rendered(sql, { table: 'Jobs', schema: undefined }, '"')).toBe(
      'UPDATE "Jobs" SET owner = \'locks\' FROM "Jobs_queue" WHERE "other_locks" = locks AND "Jobs_acquire"(1)',
    );
  });

  test('have the schema before them', () => {
    expect(rendered('SELECT * FROM `locks_shares`, `locks`', { table: 'locks', schema: 'app' }, '`')).toBe(
      'SELECT * FROM `app`.`locks_shares`, `app`.`locks`',
    );
  });

  test('have any schema that the database may tell', () => {
    expect(rendered('SELECT * FROM "locks"', { table: 'locks', schema: 'a"; DROP `$&' }, '"')).toBe(
      'SELECT * FROM "a""; DROP `$&"."locks"',
    );
    expect(rendered('SELECT * FROM `locks`', { table: 'locks', schema: 'a`b"' }, '`')).toBe(
      'SELECT * FROM `a``b"`.`locks`',
    );
  });

  test.each(['', '1st', 'a b', 'a"b', 'a`b', 'a;--', 'ä', 'x'.repeat(41)])('cannot be %j', (name) => {
    expect(() => rendered(sql, { table: name, schema: undefined }, '"')).toThrow(
      expect.objectContaining({ code: 'LOCK_MISCONFIGURED' }),
    );
    expect(() => rendered(sql, { table: name, schema: 'app' }, '"')).toThrow(/is not a name: 1 to 40 letters/);
  });
});
