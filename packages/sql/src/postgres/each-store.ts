import type { Claim } from '@locks/core';
import type { EachStore } from '../dialect/stores/lock-store.ts';
import type { PgConnection, Reply, Value } from './connection/connection.ts';
import { bytes } from './encoding.ts';
import { canRepeat, isBroken, isInTransaction, stateOf } from './connection/errors.ts';
import type { PreparedStatements } from './prepared-statements.ts';

type Name = 'acquireEach' | 'renewEach' | 'releaseEach';

const renewed = { renewed: true, turns: [] };
const freed = { freed: true, turns: [] };

/**
 * In ms: how long the statement for many keys waits for one that another transaction has inserted
 * and not committed. Afterwards each key is sent alone.
 */
const longestInsert = 100;

/** The statements for many keys. */
export function createEachStore(prepared: PreparedStatements<Name>): EachStore<PgConnection> {
  async function ask(
    connection: PgConnection,
    name: Name,
    claims: readonly Claim[],
    ...values: readonly Value[]
  ): Promise<Reply['rows']> {
    // There the statement is a transaction of several round trips: a client paused within it would
    // block all keys.
    if (prepared.encloses(connection)) return [];
    const keys = claims.map(({ key }) => bytes(key));
    const owners = claims.map(({ owner }) => owner);
    try {
      return await prepared.ask(connection, name, keys, owners, ...values);
    } catch (error) {
      if (isRefused(error)) return [];
      throw error;
    }
  }

  return {
    async acquire(connection, claims) {
      const { ttl, floor = 0n } = claims[0] as Claim;
      const rows = await ask(
        connection,
        'acquireEach',
        claims,
        ttl,
        floor,
        Math.min(prepared.longestWait(ttl), longestInsert),
      );
      return new Map(rows.map(([owner, token]) => [owner ?? '', BigInt(token ?? 0)]));
    },
    async renew(connection, claims) {
      const { ttl } = claims[0] as Claim;
      const rows = await ask(connection, 'renewEach', claims, ttl);
      return new Map(rows.map(([owner]) => [owner ?? '', renewed]));
    },
    async release(connection, claims) {
      const rows = await ask(connection, 'releaseEach', claims);
      return new Map(rows.map(([owner]) => [owner ?? '', freed]));
    },
  };
}

/** The server has undone the statement, perhaps because of one key: the others are retried. */
function isRefused(error: unknown): boolean {
  return stateOf(error) !== undefined && !isBroken(error) && !isInTransaction(error) && !canRepeat(error);
}
