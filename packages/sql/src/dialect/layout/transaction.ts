import { LockError } from '@locks/core/adapter';
import type { SqlSession } from './sql-session.ts';

/** How long to wait for another process that changes the layout, in ms. */
export const migrationPatience = 60_000;

/** The error if another process has been changing the layout for longer than that. */
export function migrationTooLong(): LockError {
  return new LockError(
    'LOCK_UNAVAILABLE',
    `@locks/sql: another process has been changing the locks' tables for ${migrationPatience / 1_000} s.`,
  );
}

/**
 * The result of `work` in a transaction that `begin` starts; it is rolled back if `work` rejects.
 */
export async function inTransaction<T>(
  session: Pick<SqlSession, 'run'>,
  begin: string,
  work: () => Promise<T>,
  send: (statement: string) => Promise<void> = (statement) => session.run(statement),
): Promise<T> {
  await send(begin);
  try {
    const result = await work();
    await send('COMMIT');
    return result;
  } catch (error) {
    // Of both errors the first one is reported.
    await session.run('ROLLBACK').catch(() => {});
    throw error;
  }
}
