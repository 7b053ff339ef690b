import { LockError } from '@locks/core/adapter';
import type { KnexInstance } from './knex.ts';
import { checkReadable, layoutOf, runAll } from './layout.ts';
import { explainMigration } from './migration-errors.ts';
import { alone } from './migration-turn.ts';
import { readTableOptions } from './options.ts';
import type { TableOptions } from './options.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';

/**
 * Creates the tables, or brings them to the layout of this version. Does nothing if that is done, by whatever way; processes that call it at
 * once do it one after another. A schema must be there; the user must be allowed to create tables and, on a server, routines.
 * @throws `LOCK_MISCONFIGURED` when the tables are of a later version of this package, or when the user may not do it.
 */
export async function migrate(knex: KnexInstance, options: TableOptions = {}): Promise<void> {
  if (knex?.isTransaction === true) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      '@locks/sql: migrate() was given a transaction; give it the knex instance itself, or list LocksMigrationSource among your migrations.',
    );
  }
  const names = readTableOptions(options);
  try {
    await withSession(knex, names, (session) => alone(session, () => update(session)));
  } catch (error) {
    throw explainMigration(knex, names, error);
  }
}

/** Brings the tables to the layout of this version, one step after another. Nobody else must do it meanwhile. */
async function update(session: Session): Promise<void> {
  const found = await layoutOf(session);
  if (found !== undefined) checkReadable(found, session.names);
  for (const step of session.kind.migrations.slice(found?.version ?? 0)) await runAll(session, step.up);
}
