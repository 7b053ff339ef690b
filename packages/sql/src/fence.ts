import { LockError, checkFenceable, staleError } from '@locks/core/adapter';
import type { Lease } from '@locks/core';
import { withSession } from './databases/with-session.ts';
import type { Dialect } from './dialect/dialect.ts';
import { findTransaction, isClient, nameOf } from './clients/find-client.ts';
import type { AnySqlTransaction } from './clients/find-client.ts';
import type { SqlClient } from './dialect/pools/client.ts';
import type { SqlSession } from './dialect/layout/sql-session.ts';
import { readTableOptions } from './options/provider-options.ts';
import type { TableOptions } from './options/provider-options.ts';

/** Refuses late writes of former holders, within their own transactions. */
export interface SqlGuard {
  /**
   * Call it within `trx`, a transaction of the caller: one of knex or postgres, the connection of
   * pg, mysql2, better-sqlite3 or node:sqlite on which it was begun, or a `PostgresTransaction`.
   * Resolves if no later holder has used `resource`. Other transactions that call it wait until
   * this one ends. Call it before the writes that it protects. With a token instead of the lease,
   * the caller must know that the lease is exclusive. Errors of the database are passed on
   * unchanged.
   * @throws `LOCK_STALE` when a later holder has used it. The transaction is still open, and the
   * caller should roll it back.
   * @throws `LOCK_INVALID` for a lease that is not exclusive, an invalid token or resource, or a
   * `trx` that is no transaction.
   */
  fence(trx: AnySqlTransaction, resource: string, lease: Pick<Lease, 'token' | 'mode'> | bigint): Promise<void>;
}

/**
 * A guard whose rows are in the table `<table>_fences`, one per resource.
 * @throws `LOCK_MISCONFIGURED` for a wrong option.
 */
export function createSqlGuard(options: TableOptions = {}): SqlGuard {
  const names = readTableOptions(options);
  return {
    async fence(trx, resource, lease) {
      const transaction = checkTransaction(trx);
      checkResource(resource);
      const token = tokenOf(resource, lease);
      await withSession(transaction, names, (session, dialect) => pass(dialect, session, resource, token));
    },
  };
}

/** `fence` of a guard with the default names of the tables. */
export const fence: SqlGuard['fence'] = (trx, resource, lease) => createSqlGuard().fence(trx, resource, lease);

/** The highest token that a column of the databases holds. */
const highestToken = 2n ** 63n - 1n;

function tokenOf(resource: string, lease: Pick<Lease, 'token' | 'mode'> | bigint): bigint {
  if (typeof lease !== 'bigint') checkFenceable(resource, lease);
  const token = typeof lease === 'bigint' ? lease : lease.token;
  if (token >= 0n && token <= highestToken) return token;
  throw new LockError('LOCK_INVALID', `A fencing token is a bigint from 0 to ${highestToken}, not ${token}.`);
}

function checkTransaction(trx: AnySqlTransaction): SqlClient {
  const found = findTransaction(trx);
  if (found !== undefined) return found;
  if (trx === undefined || isClient(trx)) throw notInTransaction();
  throw new LockError(
    'LOCK_INVALID',
    `fence() does not know ${nameOf(trx)}. Give it the connection of the driver that the transaction was begun on, or on Postgres { database: 'postgres', query }.`,
  );
}

function notInTransaction(): LockError {
  return new LockError(
    'LOCK_INVALID',
    'fence() needs the transaction that makes the write: outside of it, a later holder could write between the two. Call it as knex.transaction((trx) => fence(trx, …)), or with the connection of your driver after its BEGIN.',
  );
}

function checkResource(resource: unknown): void {
  if (typeof resource === 'string' && isResource(resource)) return;
  const shown =
    typeof resource === 'string' ? JSON.stringify(resource.slice(0, 60)) : `a value of type ${typeof resource}`;
  throw new LockError(
    'LOCK_INVALID',
    `fence() needs the name of a resource: 1 to 512 UTF-8 bytes without NUL, not ${shown}.`,
  );
}

function isResource(text: string): boolean {
  return /^[^\0]+$/.test(text) && text.isWellFormed() && Buffer.byteLength(text) <= 512;
}

async function pass(
  { fence: statements }: Dialect,
  session: SqlSession,
  resource: string,
  token: bigint,
): Promise<void> {
  const { look, raise, read } = statements;
  const value = statements.resourceValue(resource);
  if (look !== undefined) await session.rows(look);
  if (session.leftOpen === false) throw notInTransaction();
  const raised = await session.rows(raise, value, `${token}`);
  const [row] = read === undefined ? raised : await session.rows(read, value);
  if (row === undefined) throw notInTransaction();
  // By position, as options of the library postgres may change its name.
  const seen = BigInt(String(Object.values(row)[0]));
  if (seen > token) throw staleError(resource, token, seen);
}
