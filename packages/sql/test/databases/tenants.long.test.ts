import type { Locks } from '@locks/core';
import type { Knex } from 'knex';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrateTables } from '../../src/index.ts';
import { connect, ownName, servers } from '../support/databases.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { locksOver } from '../support/locks-over.ts';
import { borrow } from '../support/borrow.ts';

interface Tenants {
  readonly knex: Knex;
  readonly locks: Locks;
  /** Two schemas with tables, then one without. */
  readonly schemas: readonly [string, string, string];
  /**
   * What an application does at the start of each request; with more than one connection, on each.
   */
  use(schema: string, connections?: number): Promise<void>;
}

describe.each(servers)('on $name, where each tenant has a schema of its own', (database) => {
  async function begin(max = 2): Promise<Tenants> {
    const url = await database.create();
    const admin = connect(url);
    const schemas = [ownName(), ownName(), `odd "\` name ${ownName()}`.slice(0, 40)] as const;
    for (const schema of schemas) await admin.raw('CREATE SCHEMA ??', [schema]);
    onTestFinished(async () => {
      if (database.name === 'MariaDB') for (const schema of schemas) await admin.raw('DROP SCHEMA ??', [schema]);
    });
    for (const schema of schemas.slice(0, 2)) await migrateTables(admin, { schema });
    const knex = connect(url, { pool: { min: 0, max } });
    const { locks } = locksOver(knex, { listen: false }, { ttl: 20_000 });
    return {
      knex,
      locks,
      schemas,
      async use(schema, connections = 1) {
        const lent = await borrow(knex, connections);
        for (const connection of lent.connections) {
          await knex
            .raw(database.name === 'MariaDB' ? 'USE ??' : 'SET search_path TO ??', [schema])
            .connection(connection);
        }
        await lent.giveBack();
      },
    };
  }

  test('a key is granted once, whichever tenant a connection is used for', async () => {
    const { locks, schemas, use } = await begin(1);
    const [one, two, without] = schemas;
    await use(one);
    const lease = await locks.acquire('job');
    for (const schema of [two, without, one]) {
      await use(schema);
      expect(await locks.tryAcquire('job')).toBeNull();
      expect(await locks.tryAcquire('job', { mode: 'shared' })).toBeNull();
      expect((await locks.inspect('job')).holders).toHaveLength(1);
      await lease.renew();
    }
    await use(two);
    expect(await lease.release()).toBe(true);
  });

  test('a connection that would find other tables is refused, one that would find none is used', async () => {
    const { locks, schemas, use, knex } = await begin();
    const [one, two, without] = schemas;
    await use(one);
    const lease = await locks.acquire('job');
    // None that has been looked at is left.
    await knex.destroy();
    knex.initialize();
    await use(without, 2);
    expect(await locks.tryAcquire('job')).toBeNull();
    await lease.release();

    await knex.destroy();
    knex.initialize();
    await use(two, 2);
    await expect(locks.tryAcquire('job')).rejects.toMatchObject(
      misconfigured(new RegExp(`"${one}".*"${two}".*option "schema"`)),
    );
  });

  test('an odd name of a schema is no obstacle', async () => {
    const { locks, schemas, use, knex } = await begin();
    const [, , odd] = schemas;
    // Not a name that option "schema" takes.
    await use(odd);
    await migrateTables(knex);
    await use(odd, 2);
    const lease = await locks.acquire('job');
    expect(await locks.tryAcquire('job')).toBeNull();
    expect(await lease.release()).toBe(true);
  });
});
