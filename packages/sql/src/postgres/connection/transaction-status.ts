import type { PgConnection } from './connection.ts';

/**
 * The last status that the server reported: I is idle, T in a transaction, E in a failed one. For
 * versions of `pg` that do not keep it.
 */
const told = new WeakMap<PgConnection, string>();

/** Tracks the status of `connection`; several providers may do so. */
export function watchStatus(connection: PgConnection): void {
  if (connection.getTransactionStatus !== undefined) return;
  if (told.has(connection) || connection.connection?.on === undefined) return;
  told.set(connection, 'unknown');
  connection.connection.on('readyForQuery', ({ status }) => told.set(connection, status));
}

/** Whether `connection` was in a transaction after its last answer. */
export function isInTransaction(connection: PgConnection): boolean {
  const status = connection.getTransactionStatus?.() ?? told.get(connection);
  return status === 'T' || status === 'E';
}
