import { LockError, isLockError } from '@locks/core/adapter';
import { plainDialect } from './create-provider.ts';
import { kindOf } from './kinds.ts';
import type { KnexInstance } from './knex.ts';
import type { TableNames } from './names.ts';

/** The contract's error for what went wrong in a migration. */
export function explainMigration(knex: KnexInstance, names: TableNames, error: unknown): LockError {
  if (isLockError(error)) return error;
  const remedy = kindOf(knex).migrationRemedy(error);
  if (remedy === undefined) return plainDialect(knex, names).explain(error, 'a migration');
  const text = error instanceof Error ? error.message : String(error);
  return new LockError('LOCK_MISCONFIGURED', `@locks/sql cannot migrate its tables: ${text}. ${remedy}`, {
    cause: error,
  });
}
