import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, fence, migrateTables } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';

async function open(options: Options): Promise<postgres.Sql> {
  const sql = postgres((await databases[0]?.create()) ?? '', { max: 2, onnotice() {}, ...options });
  onTestFinished(() => sql.end());
  await migrateTables(sql);
  return sql;
}

type Options = postgres.Options<Record<string, never>>;

const transforms: readonly (readonly [string, NonNullable<Options['transform']>])[] = [
  ['of names', postgres.camel],
  ['of values', { value: { from: (value: unknown) => `changed ${String(value)}` } }],
  ['of columns', { column: { from: (name: string) => `changed ${name}` } }],
];

test.each(transforms)('locks and guards pay no heed to transforms %s', async (_, transform) => {
  const sql = await open({ transform });
  const { locks } = locksOver(sql);
  await locks.withLock('job', async (lease) => {
    await sql.begin((trx) => fence(trx, 'account', lease));
    await expect(sql.begin((trx) => fence(trx, 'account', 1n))).rejects.toMatchObject({ code: 'LOCK_STALE' });
  });
});

test('a transaction whose rows are changed is named, and nothing is raised', async () => {
  const sql = await open({ transform: { row: { from: (row: object) => ({ changed: row }) as never } } });
  await expect(sql.begin((trx) => fence(trx, 'account', 1n))).rejects.toMatchObject(
    misconfigured('option "transform" of postgres'),
  );
});

test('a reserved connection is a transaction after its BEGIN, and no client', async () => {
  const sql = await open({});
  const reserved = await sql.reserve();
  onTestFinished(() => reserved.release());
  await reserved.unsafe('BEGIN');
  await fence(reserved, 'account', 7n);
  await reserved.unsafe('COMMIT');
  await expect(fence(reserved, 'account', 9n)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  await sql.begin((trx) => fence(trx, 'account', 8n));
  expect(() => createSqlProvider(reserved)).toThrow(/not a reserved connection of postgres; pass the sql/);
});
