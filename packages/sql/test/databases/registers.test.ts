import { collect } from '@locks/test-servers';
import type { Knex } from 'knex';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../src/index.ts';
import { databases, rowsOf, servers, withTables } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';

const shortest = { tokenRetention: 1_000 } as const;
const claim = { key: 'job', owner: 'a/1', ttl: 60_000, mode: 'exclusive' } as const;

const countOf = async (knex: Knex): Promise<number> => (await rowsOf(knex('locks').select('key'))).length;

describe.each(servers)('on $name', (database) => {
  test('a sweep leaves registers alone, and takes what one has left', async () => {
    const { knex } = await withTables(database);
    const { provider } = locksOver(knex, { sweep: false });
    for (const name of ['kept', 'removed']) await provider.register?.(name, { from: undefined, to: 'text' });
    await provider.register?.('removed', { from: 'text', to: undefined });
    await provider.tryAcquire({ ...claim, key: 'idle' });
    await provider.release({ ...claim, key: 'idle' });
    await knex('locks').where('version', '<', '9000000000000000').update({ version: 1 });
    expect(await sweep(knex, shortest)).toBe(2);
    expect(await countOf(knex)).toBe(1);
    expect(await provider.register?.('kept')).toBe('text');
    expect(await provider.register?.('removed')).toBeUndefined();
    expect(await provider.register?.('removed', { from: undefined, to: 'again' })).toBe('again');
    expect(await collect(provider.list?.('') ?? [])).toEqual([]);
  });
});

describe.each(databases)('on $name', (database) => {
  test('a wrong name, and a wrong text, is refused and changes nothing', async () => {
    const { knex } = await withTables(database);
    const { provider } = locksOver(knex, { sweep: false });
    for (const name of ['', 'x'.repeat(251), 'a b', 'é', 'a\0', 'a\n']) {
      await expect(provider.register?.(name)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    }
    for (const to of ['', 'x'.repeat(251), 'a b', 'é']) {
      const change = { from: undefined, to };
      await expect(provider.register?.('name', change)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    }
    expect(await countOf(knex)).toBe(0);
  });
});
