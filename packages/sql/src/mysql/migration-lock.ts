import type { SqlSession } from '../dialect/layout/sql-session.ts';
import { migrationPatience, migrationTooLong } from '../dialect/layout/transaction.ts';

/** MySQL commits each statement of `change`. */
export async function withMigrationLock<T>(session: SqlSession, change: () => Promise<T>): Promise<T> {
  const [answer] = await session.rows(`SELECT GET_LOCK('@locks/sql migrate', ${migrationPatience / 1_000}) AS locked`);
  if (Number(answer?.['locked']) !== 1) throw migrationTooLong();
  try {
    return await change();
  } finally {
    await session.run("DO RELEASE_LOCK('@locks/sql migrate')");
  }
}
