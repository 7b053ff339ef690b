import { LockError, isLockError } from '@locks/core/adapter';
import { textOf } from '../dialect/call-error.ts';
import type { KnexInstance } from '../dialect/knex.ts';
import type { TableNames } from '../dialect/names.ts';
import { dialectOf } from '../dialects.ts';

/** The contract's error for what went wrong in a migration. */
export function explainMigration(knex: KnexInstance, names: TableNames, error: unknown): LockError {
  if (isLockError(error)) return error;
  const dialect = dialectOf(knex, names);
  const remedy = dialect.migrationRemedy(error);
  if (remedy === undefined) return dialect.explain(knex.client, error, 'a migration');
  const message = `@locks/sql cannot migrate its tables: ${textOf(error)}. ${remedy}`;
  return new LockError('LOCK_MISCONFIGURED', message, { cause: error });
}
