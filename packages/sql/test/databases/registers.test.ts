import { collect } from '@locks/test-servers';
import type { LockProvider } from '@locks/core';
import type { Knex } from 'knex';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, migrateTables, sweep } from '../../src/index.ts';
import type { SqlOptions } from '../../src/index.ts';
import { connect, databases, rowsOf, servers } from '../support/databases.ts';

const layouts = [{}, { routines: false }] as const;
const shortest = { tokenRetention: 1_000 } as const;
const claim = { key: 'job', owner: 'a/1', ttl: 60_000, mode: 'exclusive' } as const;

function provide(knex: Knex, options: SqlOptions): LockProvider {
  const provider = createSqlProvider(knex, { ...options, sweep: false });
  onTestFinished(() => provider.close());
  return provider;
}

const countOf = async (knex: Knex): Promise<number> => (await rowsOf(knex('locks').select('key'))).length;

describe.each(servers)('on $name', (database) => {
  test.each(layouts)('a sweep leaves registers alone, and takes what one has left: %o', async (layout) => {
    const knex = connect(await database.create());
    await migrateTables(knex, layout);
    const provider = provide(knex, layout);
    for (const name of ['kept', 'removed']) await provider.register?.(name, { from: undefined, to: 'text' });
    await provider.register?.('removed', { from: 'text', to: undefined });
    await provider.tryAcquire({ ...claim, key: 'idle' });
    await provider.release({ ...claim, key: 'idle' });
    await knex('locks').where('version', '<', '9000000000000000').update({ version: 1 });
    expect(await sweep(knex, { ...layout, ...shortest })).toBe(2);
    // With `routines: false` there is a row of removed keys.
    expect(await countOf(knex)).toBe(layout === layouts[0] ? 1 : 2);
    expect(await provider.register?.('kept')).toBe('text');
    expect(await provider.register?.('removed')).toBeUndefined();
    expect(await provider.register?.('removed', { from: undefined, to: 'again' })).toBe('again');
    expect(await collect(provider.list?.('') ?? [])).toEqual([]);
  });

  test('registers outlive the migration of a table without routines, and raise no token', async () => {
    const url = await database.create();
    const knex = connect(url);
    await migrateTables(knex, layouts[1]);
    const before = provide(knex, layouts[1]);
    for (const name of ['kept', 'changed']) await before.register?.(name, { from: undefined, to: 'text' });
    await sweep(knex, { ...layouts[1], ...shortest });
    await migrateTables(knex);
    const after = provide(connect(url), {});
    expect(await after.register?.('kept')).toBe('text');
    // The provider of before has them too, though it may take no key any more.
    expect(await before.register?.('changed', { from: 'text', to: 'other' })).toBe('other');
    expect(await after.register?.('changed')).toBe('other');
    await sweep(knex, shortest);
    const answer = await after.tryAcquire(claim);
    const clock = BigInt((await after.time?.()) ?? 0) * 1_000n;
    expect(answer.granted && answer.token).toBeLessThan(clock + 60_000_000n);
    expect(await after.release(claim)).toBe(true);
  });
});

describe.each(databases)('on $name', (database) => {
  test('a wrong name, and a wrong text, is refused and changes nothing', async () => {
    const knex = connect(await database.create());
    await migrateTables(knex);
    const provider = provide(knex, {});
    for (const name of ['', 'x'.repeat(251), 'a b', 'é', 'a\0', 'a\n']) {
      await expect(provider.register?.(name)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    }
    for (const to of ['', 'x'.repeat(201), 'a b', 'é']) {
      const change = { from: undefined, to };
      await expect(provider.register?.('name', change)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    }
    expect(await countOf(knex)).toBe(0);
  });
});
