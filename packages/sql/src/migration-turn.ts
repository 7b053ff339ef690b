import { LockError, systemRuntime } from '@locks/core/adapter';
import type { Session } from './session.ts';

/** How long to wait for whoever changes the layout now, in ms. */
const patience = 60_000;

/**
 * What `change` resolves to, which no other process runs meanwhile. If it rejects, what it did is undone; by MySQL, where each statement
 * that changes a table commits by itself, it is not.
 */
export function alone<T>(session: Session, change: () => Promise<T>): Promise<T> {
  return { postgres: onPostgres, mysql: onMysql, sqlite: onSqlite }[session.kind.name](session, change);
}

async function onPostgres<T>(session: Session, change: () => Promise<T>): Promise<T> {
  const locked = async (): Promise<T> => {
    // It ends with the transaction.
    await session.run("SELECT pg_advisory_xact_lock(hashtext('@locks/sql'), hashtext('migrate'))");
    return await change();
  };
  // What was committed during the wait for the lock must be seen.
  return session.inTransaction ? await locked() : await within(session, 'BEGIN ISOLATION LEVEL READ COMMITTED', locked);
}

async function onMysql<T>(session: Session, change: () => Promise<T>): Promise<T> {
  const [answer] = await session.rows(`SELECT GET_LOCK('@locks/sql migrate', ${patience / 1_000}) AS locked`);
  if (Number(answer?.['locked']) !== 1) throw tooLong();
  try {
    return await change();
  } finally {
    await session.run("DO RELEASE_LOCK('@locks/sql migrate')");
  }
}

async function onSqlite<T>(session: Session, change: () => Promise<T>): Promise<T> {
  if (session.inTransaction) return await change();
  const [setting] = await session.rows('PRAGMA busy_timeout');
  // A wait within SQLite stops this process, which may be the one that is waited for.
  await session.run('PRAGMA busy_timeout = 0');
  try {
    return await within(session, 'BEGIN IMMEDIATE', change, (statement) => whenFree(() => session.run(statement)));
  } finally {
    await session.run(`PRAGMA busy_timeout = ${Number(setting?.['timeout'] ?? 0)}`);
  }
}

async function within<T>(
  session: Session,
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
    // Of both errors the first one says why.
    await session.run('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Outside of WAL mode whoever reads keeps even the end of a transaction waiting. */
async function whenFree(send: () => Promise<void>): Promise<void> {
  const end = systemRuntime.clock.now() + patience;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!String((error as { readonly code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error;
    }
    if (systemRuntime.clock.now() > end) throw tooLong();
    await new Promise<void>((resolve) => {
      systemRuntime.setTimer(resolve, 5 + 10 * systemRuntime.random(), true);
    });
  }
}

function tooLong(): LockError {
  return new LockError(
    'LOCK_UNAVAILABLE',
    `@locks/sql: another process has been changing the locks' tables for ${patience / 1_000} s.`,
  );
}
