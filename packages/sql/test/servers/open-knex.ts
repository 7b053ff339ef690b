import knex from 'knex';
import type { Knex } from 'knex';
import type { Kind } from './kind.ts';

/**
 * A knex instance as an application makes one, except that it does not write of its connections
 * into the output of the tests.
 */
export function openKnex(
  client: Kind['client'],
  connection: string | object,
  pool: Knex.PoolConfig = { min: 0, max: 10 },
): Knex {
  return knex({ client, connection: connection as string, pool, log: { warn() {} } });
}
