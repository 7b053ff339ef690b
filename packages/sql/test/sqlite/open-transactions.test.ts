import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, migrateTables } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';

test.each(['BEGIN', 'BEGIN IMMEDIATE'])(
  'a connection that was given back after %s is replaced, and the call gets another one',
  async (begin) => {
    const url = await databases.find(({ name }) => name === 'SQLite')!.create();
    const knex = connect(url);
    await migrateTables(knex);
    const provider = createSqlProvider(knex);
    const locks = createLocks(provider, { ttl: 5_000 });
    onTestFinished(async () => {
      await locks.close();
      await provider.close();
    });
    for (const checked of [false, true]) {
      if (checked) await (await locks.acquire('job')).release();
      await knex.raw(begin);
      await knex.raw('CREATE TABLE forgotten (id integer)');
      const lease = await locks.tryAcquire('job');
      expect(await lease?.release()).toBe(true);
      expect(await knex.raw("SELECT name FROM sqlite_master WHERE name = 'forgotten'")).toEqual([]);
    }
  },
);
