import { LockError, errorText, isDefect } from '@locks/core/adapter';
import type { CallName } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import { TransactionOpen } from './transaction-open.ts';

/** A longer text of a driver would hide the advice after it; `cause` has all of it. */
const longestText = 140;

/** A driver's message without newlines, shortened. */
export function textOf(error: unknown): string {
  const text = errorText(error).replaceAll(/\s+/g, ' ');
  return text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text;
}

/** A failed call. */
export interface FailedCall {
  /** The database, for messages. */
  readonly database: string;
  readonly error: unknown;
  readonly what: CallName;
  readonly claim?: Pick<Claim, 'key'> | undefined;
  /** What the user must change; `undefined`: another attempt may succeed. */
  readonly remedy: string | undefined;
  /** What helps where another attempt may succeed. */
  readonly advice?: string | undefined;
  /** The server refused the statement, and so changed nothing. */
  readonly undone: boolean;
}

/** The contract's error for a failed call. */
export function callError(failed: FailedCall): LockError {
  const { database, error, what, claim, undone } = failed;
  // A statement was sent, and takes effect with the transaction, whatever the user changes.
  const mayTakeEffect = error instanceof TransactionOpen && error.sent;
  const remedy = isDefect(error) ? wrongClient : failed.remedy;
  const advice = remedy ?? failed.advice;
  const call = typeof what === 'function' ? what() : what;
  return new LockError(
    remedy === undefined || mayTakeEffect ? 'LOCK_UNAVAILABLE' : 'LOCK_MISCONFIGURED',
    `${database} failed at ${call}: ${textOf(error)}${advice === undefined ? '' : `. ${advice}`}`,
    {
      ...(claim === undefined ? {} : { key: claim.key }),
      cause: error,
      sent: undone && !mayTakeEffect ? false : undefined,
    },
  );
}

/** What to do when a call fails by a TypeError. */
export const wrongClient =
  '@locks/sql does not support this client, or has a bug: pass a client as its documentation shows, or report this.';

/** What to do when a server does not accept a statement or value. */
export const notTaken =
  'The server does not accept what @locks/sql sends: run its migrations, check that its version is the newest, or report this.';

/** What to do when a server refuses TLS. */
export const tlsMissing = 'Turn TLS on at the server, or off here (option "tls").';

/** What to do when a certificate or handshake is refused. */
export const tlsRefused =
  'Give the certificate that signed the server\'s as option "tls": { ca }, and check the host name, the dates and the versions of TLS.';
