import { isLockError, isTlsRefusal } from '@locks/core/adapter';
import type { CallName, LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import { callError, notTaken, tlsMissing, tlsRefused } from '../../dialect/errors/call-error.ts';
import { nameTaken } from '../../dialect/layout/migration.ts';
import { TransactionOpen, endTransactions } from '../../dialect/errors/transaction-open.ts';

/** The server's error code (SQLSTATE); `undefined`: not a server error. */
export function stateOf(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && typeof severity === 'string' ? code : undefined;
}

/**
 * The server undid the statement because of concurrent ones: a serialization failure, a deadlock, a
 * prepared statement of that name.
 */
export function canRepeat(error: unknown): boolean {
  return ['40001', '40P01', '26000', '42P05', '0A000'].includes(stateOf(error) ?? '');
}

/**
 * Nothing was done, because the connection is in a transaction of its user; the server reports it
 * if it was not known.
 */
export function isInTransaction(error: unknown): boolean {
  if (error instanceof TransactionOpen) return !error.sent;
  return ['25001', '25P02'].includes(stateOf(error) ?? '');
}

export function isBroken(error: unknown): boolean {
  // An answer that was understood.
  if (isLockError(error)) return false;
  const state = stateOf(error);
  if (state === undefined) return true;
  const { severity } = error as { readonly severity: string };
  return severity === 'FATAL' || severity === 'PANIC' || /^(?:08|57P|25)/.test(state);
}

/**
 * The server answered an error and continues, so the statement was undone. 40003 means that it does
 * not know.
 */
function isUndone(error: unknown): boolean {
  const state = stateOf(error);
  return state !== undefined && state !== '40003' && (error as { readonly severity: string }).severity === 'ERROR';
}

/** An error about the server as a whole, in the server's format. */
export function unusable(state: string, message: string): Error {
  return Object.assign(new Error(message), { code: state, severity: 'ERROR' });
}

const grants =
  'Grant the role what sql/postgres/grants.sql of the package lists, or sql/postgres/texts/grants.sql with option "routines" false.';

/** What to do about row level security. */
export const rowSecurity =
  'Turn it off for these tables (ALTER TABLE … DISABLE ROW LEVEL SECURITY), or give the role BYPASSRLS.';

/** What a retry cannot fix, and how to fix it. */
const permanent: Readonly<Record<string, string>> = {
  '42P01': 'A table is missing: run the migrations of @locks/sql, or set the options "table" and "schema".',
  '3F000': 'The schema is missing: create it and run the migrations of @locks/sql, or set the option "schema".',
  '42883': 'A function is missing: run the migrations of @locks/sql, or set the options "table" and "schema".',
  '42703': 'The tables are not those of @locks/sql: run its migrations, or set the option "table".',
  '42501': grants,
  // The first statement over a connection that was returned in a transaction.
  '25001': endTransactions,
  '25P02': endTransactions,
  '28000': 'Check the user and its password.',
  '28P01': 'Check the user and its password.',
  '3D000': 'Check the name of the database.',
};

const poolers =
  'A pooler such as PgBouncer does not support session settings: open with option "listen=false", which needs none.';

/** A pooler uses one state for its own refusals and those of Postgres. Others are temporary. */
const ofPooler: readonly (readonly [RegExp, string])[] = [
  [/startup parameter/, poolers],
  [
    /authentication failed|no such (?:user|database)/,
    'Check the user, its password and the database, also at the pooler.',
  ],
];

/** Failures that `pg` reports itself, without a code. */
const ofDriver: readonly (readonly [RegExp, string])[] = [
  [/server does not support SSL/, tlsMissing],
  [
    /Unknown authentication/,
    'The server requires an authentication method that pg does not support, such as GSSAPI, SSPI or Kerberos: have pg_hba.conf ask this user for a password (scram-sha-256).',
  ],
  [/client password must be/, 'The server asks for a password: put one into the URL, or set option "password".'],
];

/** The server does not accept the statement or a value: it would refuse a retry, too. */
const refusedState = /^(?:22|42)/;

function remedyOf(error: unknown): string | undefined {
  if (error instanceof TransactionOpen) return endTransactions;
  if (isTlsRefusal(error)) return tlsRefused;
  const text = error instanceof Error ? error.message : '';
  const state = stateOf(error);
  if (state === '42501' && text.includes('row-level security')) return rowSecurity;
  if (state === '08P01') return ofPooler.find(([pattern]) => pattern.test(text))?.[1];
  return state === undefined
    ? ofDriver.find(([pattern]) => pattern.test(text))?.[1]
    : (permanent[state] ?? (refusedState.test(state) ? notTaken : undefined));
}

export function explain(error: unknown, what: CallName, claim?: Pick<Claim, 'key'>): LockError {
  return callError({ database: 'Postgres', error, what, claim, remedy: remedyOf(error), undone: isUndone(error) });
}

const migrationRemedies: Readonly<Record<string, string>> = {
  // A table, type or function of that name exists; or a table has other columns.
  '42P07': nameTaken,
  '42710': nameTaken,
  '42723': nameTaken,
  '42703': nameTaken,
  '42501': 'Run it as a role with USAGE and CREATE on the schema that owns the existing tables.',
  '3F000': 'Create the schema, give the role USAGE on it, or set the option "schema" to another.',
};

export function migrationRemedy(error: unknown): string | undefined {
  return migrationRemedies[stateOf(error) ?? ''];
}
