import { LockError, isLockError } from '@locks/core/adapter';
import { plainDialect } from './create-provider.ts';
import { layoutVersion } from './dialect.ts';
import type { KnexInstance } from './knex.ts';
import { layoutOf, newerLayout, runAll } from './layout.ts';
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
    throw isLockError(error) ? error : plainDialect(knex, names).explain(error, 'a migration');
  }
}

/** Brings the tables to the layout of this version, one step after another. Nobody else must do it meanwhile. */
async function update(session: Session): Promise<void> {
  const found = (await layoutOf(session)) ?? 0;
  if (found > layoutVersion) throw newerLayout(found, session.names);
  for (const step of session.kind.migrations.slice(found)) await runAll(session, step.up);
}
