import { LockError, isDefect, isLockError } from '@locks/core/adapter';
import type { CallName } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import { whyNoFile, whyNotWritable } from './access.ts';
import { textOf, wrongClient } from '../../dialect/errors/call-error.ts';
import { nameTaken } from '../../dialect/layout/migration.ts';
import { endTransactions } from '../../dialect/errors/transaction-open.ts';

/** The file is not the one that was opened. */
export class FileReplaced extends Error {
  constructor(path: string) {
    super(`the file ${JSON.stringify(path)} was deleted or replaced while it was open`);
    this.name = 'FileReplaced';
  }
}

/** The primary codes: libsql has no names of some extended ones, and node:sqlite of none. */
const primary: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  21: 'SQLITE_MISUSE',
  26: 'SQLITE_NOTADB',
};

/** SQLite's name of an error, such as SQLITE_BUSY_RECOVERY. */
function codeOf(error: unknown): string {
  const { code, errcode } = Object(error) as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof code !== 'string') return '';
  if (typeof errcode === 'number') return primary[errcode % 256] ?? code;
  const unnamed = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code)?.[1];
  // The low byte of an extended code is its primary code.
  return unnamed === undefined ? code : (primary[Number(unnamed) % 256] ?? code);
}

/** The file could not be opened. Drivers word it differently if they were to open it. */
function isUnopened(error: unknown): boolean {
  if (codeOf(error).startsWith('SQLITE_CANTOPEN')) return true;
  return error instanceof Error && /ConnectionFailed|^Cannot open database/.test(error.message);
}

/** Another connection writes, or prepares the file: nothing was done. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(codeOf(error));
}

/** A transaction that its user has not ended: BEGIN was refused, and nothing was done. */
export function isInTransaction(error: unknown): boolean {
  return error instanceof Error && error.message.includes('within a transaction');
}

export function isBroken(error: unknown): boolean {
  if (error instanceof FileReplaced || isInTransaction(error)) return true;
  // libsql throws a TypeError for a connection that its owner has closed.
  if (error instanceof TypeError && /connection is not open/.test(error.message)) return true;
  return /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|MISUSE)/.test(codeOf(error));
}

export function explain(
  error: unknown,
  path: string | undefined,
  what: CallName,
  claim?: Pick<Claim, 'key'>,
): LockError {
  if (isLockError(error)) return error;
  const name = typeof what === 'string' ? what : what();
  const where = path === undefined ? '' : ` in ${JSON.stringify(path)}`;
  const reason = textOf(error);
  const key = claim === undefined ? {} : { key: claim.key };
  const misconfigured = (advice: string): LockError =>
    new LockError('LOCK_MISCONFIGURED', `SQLite refused ${name}${where}: ${reason}. ${advice}`, {
      cause: error,
      ...key,
    });
  const code = codeOf(error);
  if (code.startsWith('SQLITE_READONLY') || code === 'SQLITE_PERM') {
    const why = path === undefined ? undefined : whyNotWritable(path);
    if (path !== undefined && why !== undefined) return unusable(path, why, error, key);
    return misconfigured('This process must be able to write the file and its folder.');
  }
  if (isUnopened(error) && path !== undefined) {
    const why = whyNoFile(path) ?? whyNotWritable(path);
    if (why !== undefined) return unusable(path, why, error, key);
  }
  if (code.startsWith('SQLITE_NOTADB'))
    return misconfigured('Name the file of a SQLite database, or one that does not exist yet.');
  if (/no such (table|column)/.test(reason)) {
    return misconfigured('The tables of the locks are gone: create them again with migrateTables(client).');
  }
  if (isInTransaction(error)) return misconfigured(endTransactions);
  if (isDefect(error) && !isBroken(error)) return misconfigured(wrongClient);
  const advice =
    code === 'SQLITE_FULL' ? ' The disk is full.' : error instanceof FileReplaced ? ' It is opened again.' : '';
  return new LockError('LOCK_UNAVAILABLE', `SQLite failed in ${name}${where}: ${reason}.${advice}`, {
    cause: error,
    ...key,
    // The transaction is rolled back.
    sent: code !== '' && !isBroken(error) ? false : undefined,
  });
}

/** The error for a file that is unusable until its user has changed something. */
export function unusable(path: string, why: string, cause?: unknown, more: { readonly key?: string } = {}): LockError {
  return new LockError('LOCK_MISCONFIGURED', `@locks/sql cannot use the SQLite file ${JSON.stringify(path)}: ${why}.`, {
    ...(cause === undefined ? {} : { cause }),
    ...more,
  });
}

export function migrationRemedy(error: unknown): string | undefined {
  const taken = error instanceof Error && /already exists|no such column|values were supplied/.test(error.message);
  return taken ? nameTaken : undefined;
}
