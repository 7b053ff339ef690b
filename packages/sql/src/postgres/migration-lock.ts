import type { SqlSession } from '../dialect/layout/sql-session.ts';
import { inTransaction } from '../dialect/layout/transaction.ts';

export async function withMigrationLock<T>(session: SqlSession, change: () => Promise<T>): Promise<T> {
  const locked = async (): Promise<T> => {
    // It ends with the transaction.
    await session.run("SELECT pg_advisory_xact_lock(hashtext('@locks/sql'), hashtext('migrate'))");
    return await change();
  };
  if (session.inTransaction) return await locked();
  // It must see what was committed during the wait for the lock.
  return await inTransaction(session, 'BEGIN ISOLATION LEVEL READ COMMITTED', locked);
}
