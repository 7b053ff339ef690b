import type { Lease } from '@locks/core';
import type { Knex } from 'knex';
import { describe, expect, test } from 'vitest';
import { createSqlGuard, fence, migrateTables } from '../../src/index.ts';
import { untilBlocked } from '../servers/parties.ts';
import { connect, databases, servers, withTables } from '../support/databases.ts';
import { lockError } from '../../../core/test/support/lock-error.ts';

const at = (token: bigint): Pick<Lease, 'token' | 'mode'> => ({ token, mode: 'exclusive' });
const stale = (mine: bigint, seen: bigint): object =>
  lockError('LOCK_STALE', new RegExp(`token ${mine} is stale for "account": .* used token ${seen},`));

const seenBy = (knex: Knex, table = 'locks_fences'): Promise<readonly string[]> =>
  knex(table)
    .pluck('token')
    .then((tokens) => (tokens as unknown[]).map(String));

describe.each(databases)('on $name', (database) => {
  test('later and equal tokens pass, an earlier one does not', async () => {
    const { knex } = await withTables(database);
    await knex.transaction((trx) => fence(trx, 'account', at(5n)));
    await knex.transaction((trx) => fence(trx, 'account', at(5n)));
    await knex.transaction((trx) => fence(trx, 'account', 9n));
    await expect(knex.transaction((trx) => fence(trx, 'account', at(5n)))).rejects.toMatchObject(stale(5n, 9n));
    await expect(knex.transaction((trx) => fence(trx, 'account', 8n))).rejects.toMatchObject(stale(8n, 9n));
    await knex.transaction((trx) => fence(trx, 'another', 1n));
    await knex.transaction((trx) => fence(trx, 'account', 10n));
  });

  test('a refusal is no error of the database: the transaction goes on, and what becomes of it is the choice of its owner', async () => {
    const { knex } = await withTables(database);
    await knex.schema.createTable('writes', (table) => table.integer('value'));
    await knex.transaction((trx) => fence(trx, 'account', 9n));
    await knex.transaction(async (trx) => {
      await trx('writes').insert({ value: 1 });
      await expect(fence(trx, 'account', 5n)).rejects.toMatchObject(stale(5n, 9n));
      await trx('writes').insert({ value: 2 });
    });
    expect(await knex('writes').pluck('value').orderBy('value')).toEqual([1, 2]);
    expect(await seenBy(knex)).toEqual(['9']);
  });

  test('what is rolled back was not seen', async () => {
    const { knex } = await withTables(database);
    const undone = knex.transaction(async (trx) => {
      await fence(trx, 'account', 9n);
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    await knex.transaction((trx) => fence(trx, 'account', 5n));
    expect(await seenBy(knex)).toEqual(['5']);
  });

  test('works in a savepoint', async () => {
    const { knex } = await withTables(database);
    await knex.transaction(async (outer) => {
      await outer.transaction((inner) => fence(inner, 'account', 9n));
      await expect(fence(outer, 'account', 5n)).rejects.toMatchObject(stale(5n, 9n));
    });
  });

  test('tokens are compared as whole numbers, also beyond 2^53 and of different lengths', async () => {
    const { knex } = await withTables(database);
    await knex.transaction(async (trx) => {
      await fence(trx, 'account', 9n);
      await fence(trx, 'account', 10n);
      await expect(fence(trx, 'account', 2n)).rejects.toMatchObject(stale(2n, 10n));
      await fence(trx, 'account', 2n ** 60n);
      await expect(fence(trx, 'account', 2n ** 60n - 1n)).rejects.toMatchObject(stale(2n ** 60n - 1n, 2n ** 60n));
      await fence(trx, 'account', 2n ** 60n + 1n);
      await fence(trx, 'account', 2n ** 63n - 1n);
    });
  });

  test('resources are compared byte by byte', async () => {
    const { knex } = await withTables(database);
    const resources = [
      'account',
      'Account',
      'account ',
      ' account',
      'acco\u{fc}nt',
      'accou\u{308}nt',
      '%',
      '_',
      '?',
      "'",
      '\\',
      '$1',
    ];
    const longest = '\u{1f512}'.repeat(128);
    await knex.transaction(async (trx) => {
      for (const [index, resource] of [...resources, longest].entries())
        await fence(trx, resource, BigInt(100 - index));
    });
    expect(await seenBy(knex)).toHaveLength(resources.length + 1);
  });

  test('has tables of a configured name', async () => {
    const { knex } = await withTables(database);
    await migrateTables(knex, { table: 'billing' });
    const guard = createSqlGuard({ table: 'billing' });
    await knex.transaction((trx) => guard.fence(trx, 'account', 7n));
    expect([await seenBy(knex), await seenBy(knex, 'billing_fences')]).toEqual([[], ['7']]);
  });

  test('refuses what is not in a transaction, what is not exclusive, and what cannot be', async () => {
    const { knex } = await withTables(database);
    const invalid = (message: RegExp): object => lockError('LOCK_INVALID', message);
    await expect(fence(knex, 'account', 5n)).rejects.toMatchObject(invalid(/needs the transaction/));
    await expect(fence(undefined as never, 'account', 5n)).rejects.toMatchObject(invalid(/needs the transaction/));
    await expect(fence(new Map() as never, 'account', 5n)).rejects.toMatchObject(
      invalid(/know an object of class Map/),
    );
    await knex.transaction(async (trx) => {
      await expect(fence(trx, 'account', { token: 5n, mode: 'shared' })).rejects.toMatchObject(invalid(/is shared/));
      await expect(fence(trx, 'account', undefined as never)).rejects.toMatchObject(invalid(/needs the lease/));
      await expect(fence(trx, 'account', 5 as never)).rejects.toMatchObject(invalid(/needs the lease/));
      await expect(fence(trx, 'account', -1n)).rejects.toMatchObject(invalid(/from 0 to \d+, not -1/));
      await expect(fence(trx, 'account', 2n ** 63n)).rejects.toMatchObject(invalid(/from 0 to \d+, not \d+/));
      for (const resource of ['', 'a\0b', '\u{d800}', 'x'.repeat(513), 5 as never]) {
        await expect(fence(trx, resource, 5n)).rejects.toMatchObject(invalid(/1 to 512 UTF-8 bytes/));
      }
    });
    expect(await seenBy(knex)).toEqual([]);
  });

  test('passes on what the database says, and refuses a transaction that is over', async () => {
    const knex = connect(await database.create());
    await expect(knex.transaction((trx) => fence(trx, 'account', 5n))).rejects.toThrow(/locks_fences/);
    await migrateTables(knex);
    const ended = await knex.transaction();
    await ended.rollback();
    await expect(fence(ended, 'account', 5n)).rejects.toThrow(/needs the transaction/);
  });
});

const levels = ['read uncommitted', 'read committed', 'repeatable read', 'serializable'] as const;

describe.each(servers.flatMap((database) => levels.map((isolationLevel) => ({ ...database, isolationLevel }))))(
  'on $name, $isolationLevel',
  ({ isolationLevel, ...database }) => {
    test('an earlier holder waits for the later one, and is refused', async () => {
      const { url, knex } = await withTables(database);
      await knex.transaction((trx) => fence(trx, 'account', 1n));
      const early = await knex.transaction(undefined, { isolationLevel });
      // The transaction takes its view of the table here. Where each read locks what it reads, no
      // later transaction could come.
      if (database.name !== 'MariaDB' || isolationLevel !== 'serializable') expect(await seenBy(early)).toEqual(['1']);
      const late = await knex.transaction(undefined, { isolationLevel });
      await fence(late, 'account', 9n);
      let settled = false;
      const attempt = fence(early, 'account', 5n).finally(() => (settled = true));
      attempt.catch(() => {});
      await untilBlocked(url);
      expect(settled).toBe(false);
      await late.commit();
      const error: unknown = await attempt.catch((reason: unknown) => reason);
      // Both databases may also say that it is too late for this transaction: 40001, deadlock, or
      // changed since it was read.
      expect(String((error as { readonly code?: unknown }).code)).toMatch(
        /^(LOCK_STALE|40001|ER_LOCK_DEADLOCK|ER_CHECKREAD)$/,
      );
      await early.rollback();
      await expect(knex.transaction((trx) => fence(trx, 'account', 5n), { isolationLevel })).rejects.toMatchObject(
        stale(5n, 9n),
      );
    });

    test('a later holder waits for the earlier one, and passes', async () => {
      const { url, knex } = await withTables(database);
      const early = await knex.transaction(undefined, { isolationLevel });
      await fence(early, 'account', 5n);
      const attempt = knex.transaction((trx) => fence(trx, 'account', 9n), { isolationLevel });
      attempt.catch(() => {});
      await untilBlocked(url);
      await early.commit();
      const error: unknown = await attempt.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined) {
        expect((error as { readonly code?: unknown }).code).toMatch(/^(40001|ER_LOCK_DEADLOCK|ER_CHECKREAD)$/);
        await knex.transaction((trx) => fence(trx, 'account', 9n), { isolationLevel });
      }
      expect(await seenBy(knex)).toEqual(['9']);
    });
  },
);

test('on SQLite a second transaction is told that the file is busy, and passes after the first', async () => {
  const { knex } = await withTables(databases[2]!, { pool: { min: 0, max: 2 } });
  const first = await knex.transaction();
  await fence(first, 'account', 9n);
  await expect(knex.transaction((trx) => fence(trx, 'account', 5n))).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
  await first.commit();
  await expect(knex.transaction((trx) => fence(trx, 'account', 5n))).rejects.toMatchObject(stale(5n, 9n));
});
