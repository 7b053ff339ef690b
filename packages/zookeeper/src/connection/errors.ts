import { printHost } from '@locks/core/adapter';
import type { FatalCode } from '../wire/codes.ts';
import type { Address } from './address.ts';

/** The server does not know the session: its nodes are gone. */
export class SessionExpiredError extends Error {
  override readonly name = 'SessionExpiredError';

  constructor(address: Address) {
    super(`the session has expired, says ZooKeeper at ${printHost(address)}`);
  }
}

/** The server refuses the credentials. */
export class AuthFailedError extends Error {
  override readonly name = 'AuthFailedError';
  /** Of the refused credentials; `undefined` if the server did not report it. */
  readonly scheme: string | undefined;

  constructor(address: Address, scheme: string | undefined) {
    const what = scheme === undefined ? 'the credentials' : `the credentials of scheme '${scheme}'`;
    super(`ZooKeeper at ${printHost(address)} refuses ${what}`);
    this.scheme = scheme;
  }
}

/** A connection could not be opened; implies nothing about the session. */
export class ConnectError extends Error {
  override readonly name: string = 'ConnectError';
  readonly address: Address;

  constructor(address: Address, reason: string, cause?: unknown) {
    super(`no connection to ZooKeeper at ${printHost(address)}: ${reason}`, cause === undefined ? {} : { cause });
    this.address = address;
  }
}

/** A server accepted a connection, or did not refuse it, and stayed silent. */
export class SilentServerError extends ConnectError {
  override readonly name = 'SilentServerError';

  constructor(address: Address, within: number) {
    super(address, `no answer within ${Math.round(within)} ms`);
  }
}

/** Unusable options of TLS, for example an unreadable key. */
export class TlsOptionsError extends Error {
  override readonly name = 'TlsOptionsError';
}

/** The connection ended before the answer. If the request was sent, its result is unknown. */
export class ConnectionLostError extends Error {
  override readonly name: string = 'ConnectionLostError';
  readonly address: Address;

  constructor(address: Address, cause: Error) {
    super(`the connection to ZooKeeper at ${printHost(address)} has ended: ${cause.message}`, { cause });
    this.address = address;
  }
}

/** The connection ended before the request was sent. */
export class RequestUnsentError extends ConnectionLostError {
  override readonly name = 'RequestUnsentError';
}

/** The server answered a request with an error after which the connection is unusable. */
export class FatalAnswerError extends Error {
  override readonly name = 'FatalAnswerError';
  readonly address: Address;
  readonly code: FatalCode;

  constructor(address: Address, code: FatalCode, what: string) {
    super(`ZooKeeper at ${printHost(address)} answered ${what} with ${code}`);
    this.address = address;
    this.code = code;
  }
}

/** The connection was ended from this side, or the server closed it without an error. */
export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError';
}

/** The error for an answer with a code after which the connection is unusable. */
export function fatalError(address: Address, code: FatalCode, what: string): Error {
  if (code === 'SESSION_EXPIRED') return new SessionExpiredError(address);
  if (code === 'AUTH_FAILED') return new AuthFailedError(address, undefined);
  return new FatalAnswerError(address, code, what);
}
