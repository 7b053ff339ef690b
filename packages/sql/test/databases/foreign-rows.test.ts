import { collect } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { rowsOf, servers, withTables } from '../support/databases.ts';
import type { Database } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';

/** No text: more than one statement of a list reads, before and after keys of ours. */
const noTexts = ['c328', 'f580'].flatMap((start) =>
  Array.from({ length: 1_100 }, (_, index) => Buffer.from(`${start}${index + 1_000}`, 'hex')),
);
const long = 'a'.repeat(600);

/** What each takes as the key of a row, and no call takes. */
const noKeys: Readonly<Partial<Record<Database['name'], readonly Buffer[]>>> = {
  Postgres: [...noTexts, Buffer.from(''), Buffer.from('a\0'), Buffer.from(long)],
  MariaDB: [...noTexts, Buffer.from(''), Buffer.from('a\0')],
};

describe.each(servers)('on $name', (database) => {
  test('rows of another program are passed over where no call can name them, and ended where one can', async () => {
    const { knex } = await withTables(database);
    const { locks } = locksOver(knex);
    await locks.acquire('é', { ttl: 60_000 });
    const { owner } = await locks.acquire('held', { ttl: 60_000 });
    const [held] = await rowsOf(knex('locks').select('version', 'held_until').where({ owner }));
    await knex.batchInsert(
      'locks',
      noKeys[database.name]!.map((key) => ({ ...held, key, owner: 'a/b' })),
      200,
    );
    const key = Buffer.from('bob');
    await knex('locks').insert({ ...held, key, owner: 'Bob, by hand' });
    const before = (await rowsOf(knex('locks').select('owner'))).length;

    expect(await collect(locks.list())).toEqual(['bob', 'held', 'é']);
    const [holder] = (await locks.inspect('bob')).holders;
    expect(holder).toMatchObject({ owner: 'Bob, by hand', mode: 'exclusive' });
    expect(await locks.forceRelease({ ...holder!, owner: 'a/b' })).toBe(false);
    expect(await locks.forceRelease(holder!)).toBe(true);
    expect(await rowsOf(knex('locks').select('owner'))).toHaveLength(before);
  });
});
