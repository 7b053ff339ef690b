import type { PgConnection } from './connection.ts';

/** The status that the server told last: I is idle, T in a transaction, E in a failed one. */
const told = new WeakMap<PgConnection, string>();

/** Notes from now on in which status `connection` is; several providers may watch it. */
export function watchStatus(connection: PgConnection): void {
  if (told.has(connection) || connection.connection?.on === undefined) return;
  told.set(connection, 'unknown');
  // Each version of pg passes the message on; only the newest ones keep it.
  connection.connection.on('readyForQuery', ({ status }) => told.set(connection, status));
}

/** Whether `connection` was in a transaction when it had answered last. */
export function isInTransaction(connection: PgConnection): boolean {
  const status = told.get(connection);
  return status === 'T' || status === 'E';
}
