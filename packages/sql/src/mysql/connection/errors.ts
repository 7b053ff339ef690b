import { isLockError, isTlsRefusal } from '@locks/core/adapter';
import type { CallName, LockError } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import { callError, notTaken, tlsMissing, tlsRefused } from '../../dialect/errors/call-error.ts';
import { nameTaken } from '../../dialect/layout/migration.ts';
import { TransactionOpen, endTransactions } from '../../dialect/errors/transaction-open.ts';

/** The server's error number; `undefined`: not a server error. */
export function numberOf(error: unknown): number | undefined {
  const { errno, sqlState } = (error ?? {}) as { readonly errno?: unknown; readonly sqlState?: unknown };
  // mysql2 gives network errors a negative number.
  return typeof errno === 'number' && errno > 0 && typeof sqlState === 'string' ? errno : undefined;
}

/**
 * A lock wait timeout, a deadlock, a row changed since, a statement that must be prepared again,
 * and an unprepared one.
 */
const undone: ReadonlySet<number | undefined> = new Set([1205, 1213, 1020, 1615, 1243]);

/** The server undid the statement because of concurrent ones. */
export function canRepeat(error: unknown): boolean {
  return undone.has(numberOf(error));
}

/** Nothing was done, because the connection is in a transaction of its user. */
export function isInTransaction(error: unknown): boolean {
  // The isolation level of an open transaction cannot be changed, which a procedure does first.
  return error instanceof TransactionOpen ? !error.sent : numberOf(error) === 1568;
}

/** The statement was killed. */
export const interrupted = 1317;

/**
 * The server shuts down (1053). The statement was killed, or exceeded the session's limit (1317,
 * 1969, 3024): procedures cannot handle that, so the transaction may still be open. The connection
 * was killed, or idle for too long (1927, 4031). The prepared statement does not exist (1243). The
 * server or its storage refuses changes, as after a failover (1290, 1836, 1874).
 */
const ending: ReadonlySet<number> = new Set([1053, interrupted, 1969, 3024, 1927, 4031, 1243, 1290, 1836, 1874]);

export function isBroken(error: unknown): boolean {
  // An answer that was understood.
  if (isLockError(error)) return false;
  const number = numberOf(error);
  return number === undefined || ending.has(number) || (error as { readonly fatal?: unknown }).fatal === true;
}

/**
 * The server answered an error and continues, so the call was undone: its procedures roll back.
 * 1180: the commit itself failed.
 */
function isUndone(error: unknown): boolean {
  const number = numberOf(error);
  return number !== undefined && number !== 1180 && !isBroken(error);
}

/**
 * The error of a read-only server: its connections are discarded, as others may lead to a new
 * primary.
 */
export function readOnly(): Error {
  const message = 'the server is read only: a replica, or about to become one';
  return Object.assign(new Error(message), { errno: 1290, sqlState: 'HY000' });
}

const tables = 'Run the migrations of @locks/sql, or set the options "table" and "schema".';
const grants =
  'Grant the user what sql/mysql/grants.sql of the package lists, or sql/mysql/texts/grants.sql with option "routines" false.';
const login = 'Check the user, its password, the name of the database, and whether the user needs TLS (option "tls").';

const expired = 'The password has expired: set another one.';
const locked = 'Unlock the account.';

/** What a retry cannot fix, and how to fix it. */
const permanent: Readonly<Record<number, string>> = {
  1044: login,
  1045: login,
  1049: login,
  1054: tables,
  1064: notTaken,
  1264: notTaken,
  1366: notTaken,
  1406: notTaken,
  1690: notTaken,
  1130: 'Allow the user to connect from this host.',
  1142: grants,
  1143: grants,
  1146: tables,
  1305: tables,
  1318: tables,
  1370: grants,
  1449: 'The user who ran the migrations of @locks/sql no longer exists: run them again as a permanent user (locks tables up).',
  1665: 'Set binlog_format to MIXED or ROW.',
  1698: login,
  1251: 'Give the user an authentication plugin that mysql2 supports.',
  1792: 'Its sessions are read only: give the pool connections that may write.',
  1820: expired,
  1862: expired,
  3118: locked,
  3159: 'Turn TLS on here: set option "tls".',
  4151: locked,
};

/** What other clients may fix, by closing connections: a lease must outlast it. */
const passing: Readonly<Record<number, string>> = {
  1461: 'Raise max_prepared_stmt_count at the server, or open fewer connections: each prepares some ten statements.',
};

/** The codes of failures that `mysql2` reports before a login. */
const ofDriver: Readonly<Record<string, string>> = {
  HANDSHAKE_NO_SSL_SUPPORT: tlsMissing,
  AUTH_SWITCH_PLUGIN_ERROR: 'Give the user an authentication plugin that mysql2 supports.',
  MYSQL_CLEAR_PASSWORD_NOT_ENABLED: 'Give the user an authentication plugin that does not send its password as text.',
};

/**
 * A certificate is refused: mysql2 replaces Node's code by its own, which it also uses for network
 * errors.
 */
function isCertificateRefused(error: unknown): boolean {
  const { code, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return code === 'HANDSHAKE_SSL_ERROR' && /certificate|altname/i.test(String(message));
}

function remedyOf(error: unknown): string | undefined {
  const number = numberOf(error);
  if (number !== undefined) return permanent[number];
  if (isTlsRefusal(error) || isCertificateRefused(error)) return tlsRefused;
  return ofDriver[String((error as { readonly code?: unknown } | undefined)?.code)];
}

export function explain(error: unknown, what: CallName, claim?: Pick<Claim, 'key'>): LockError {
  const inTransaction = error instanceof TransactionOpen || isInTransaction(error);
  const remedy = inTransaction ? `Turn autocommit on. ${endTransactions}` : remedyOf(error);
  const advice = passing[numberOf(error) ?? 0];
  return callError({ database: 'MySQL', error, what, claim, remedy, advice, undone: isUndone(error) });
}

const rights =
  'Run it as a user with CREATE, DROP, SELECT, INSERT, UPDATE, DELETE, CREATE ROUTINE and ALTER ROUTINE on the database.';

const migrationRemedies: Readonly<Record<number, string>> = {
  // The server denies the database (even if it does not exist), the command, the column, the
  // routine, a privilege.
  1044: rights,
  1142: rights,
  1143: rights,
  1370: rights,
  1227: rights,
  1064: 'The server does not take the syntax of the routines: take ORACLE out of the sql_mode of this connection, or see that its version is MariaDB 10.6, MySQL 8.0 or newer.',
  // A table has other columns.
  1054: nameTaken,
  1347: nameTaken,
};

export function migrationRemedy(error: unknown): string | undefined {
  return migrationRemedies[numberOf(error) ?? 0];
}
