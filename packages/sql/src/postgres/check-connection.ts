import { LockError } from '@locks/core/adapter';
import { checkLayout } from '../dialect/layout/layout.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import type { Reply } from './connection/connection.ts';
import { refuseOld } from './connection/check-version.ts';
import { rowSecurity, stateOf, unusable } from './connection/errors.ts';

const writesRefused =
  '@locks/sql: the connections have default_transaction_read_only = on, and a lock is a write. Use a user, a database or a pool without that setting.';

/** To a role without that right the server reports that the table does not exist. */
export const hidden = ', or the role has no USAGE on its schema (see sql/postgres/grants.sql)';

const rowsHidden = `@locks/sql: row level security hides the rows of the locks' tables from this role. ${rowSecurity}`;

export interface ConnectionFacts {
  /** The ms after which the server ends a statement; Infinity: never. */
  readonly endsAfter: number;
  readonly readCommitted: boolean;
}

/**
 * Checks the answer of a new connection to `check-connection`, and returns what matters later.
 * @throws `LOCK_MISCONFIGURED` for tables or servers of another version, and if transactions are
 * read-only; the server's own error for a standby.
 */
export async function checkConnection(answer: Promise<Reply['rows']>, names: TableNames): Promise<ConnectionFacts> {
  const [row] = await answer.catch((error: unknown) => {
    if (stateOf(error) === '42P01') checkLayout(undefined, names, hidden);
    throw error;
  });
  const [layout, readableFrom, secured] = (row ?? []).slice(5);
  if (!layout && secured === 't') throw new LockError('LOCK_MISCONFIGURED', rowsHidden);
  return checkServer(row ?? [], () =>
    checkLayout(layout ? { version: Number(layout), readableFrom: Number(readableFrom) } : undefined, names),
  );
}

/** Checks the server by the first columns of `row`, and its tables by `checkTables`. */
export function checkServer(row: Reply['rows'][number], checkTables: () => void): ConnectionFacts {
  const [version, standby, readOnly, isolation, ending] = row;
  refuseOld(version);
  if (standby === 't') throw unusable('25006', 'the server is a standby, which cannot write');
  checkTables();
  if (readOnly !== 'off') throw new LockError('LOCK_MISCONFIGURED', writesRefused);
  return { endsAfter: Number(ending) || Infinity, readCommitted: isolation === 'read committed' };
}
