import { expect, test } from 'vitest';
import { connect } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';
import { ownFile } from './support/own.ts';

test.each(['BEGIN', 'BEGIN IMMEDIATE'])(
  'a connection that was given back after %s is replaced, and the call gets another one',
  async (begin) => {
    const knex = connect(ownFile().url);
    const { locks } = locksOver(knex, {}, { ttl: 5_000 });
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
