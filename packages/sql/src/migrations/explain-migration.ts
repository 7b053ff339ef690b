import { LockError, isLockError } from '@locks/core/adapter';
import { textOf } from '../dialect/errors/call-error.ts';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { dialectOf } from '../databases/dialects.ts';

/** The contract's error for what went wrong in a migration. */
export function explainMigration(client: SqlClient, names: TableNames, error: unknown): LockError {
  if (isLockError(error)) return error;
  const dialect = dialectOf(client, names);
  const remedy = dialect.migrationRemedy(error);
  if (remedy === undefined) return dialect.explain(client, error, 'a migration');
  const message = `@locks/sql cannot migrate its tables: ${textOf(error)}. ${remedy}`;
  return new LockError('LOCK_MISCONFIGURED', message, { cause: error });
}
