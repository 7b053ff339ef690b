import { pause, systemRuntime } from '@locks/core/adapter';
import type { SqlSession } from '../dialect/layout/sql-session.ts';
import { inTransaction, migrationPatience, migrationTooLong } from '../dialect/layout/transaction.ts';
import { isBusy } from './connection/errors.ts';

export async function withMigrationLock<T>(session: SqlSession, change: () => Promise<T>): Promise<T> {
  if (session.inTransaction) return await change();
  const [setting] = await session.rows('PRAGMA busy_timeout');
  // A wait within SQLite blocks this process, perhaps the one that it waits for.
  await session.run('PRAGMA busy_timeout = 0');
  try {
    return await inTransaction(session, 'BEGIN IMMEDIATE', change, (statement) =>
      whenFree(() => session.run(statement)),
    );
  } finally {
    await session.run(`PRAGMA busy_timeout = ${Number(setting?.['timeout'] ?? 0)}`);
  }
}

/** Outside of WAL mode a reader delays even a commit. */
async function whenFree(send: () => Promise<void>): Promise<void> {
  const end = systemRuntime.clock.now() + migrationPatience;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    if (systemRuntime.clock.now() > end) throw migrationTooLong();
    await pause(systemRuntime, 5 + 10 * systemRuntime.random());
  }
}
