import { LockError } from '@locks/core/adapter';
import type { Address } from '../connection/address.ts';
import { ConnectError } from '../connection/errors.ts';

/** `close()` was called. */
export function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'The session with ZooKeeper was closed.');
}

/** A server has told that the session is over, or will be soon. */
export function expiredError(cause: Error): LockError {
  return new LockError('LOCK_LOST', `The session with ZooKeeper is lost: ${cause.message}.`, { cause });
}

/** Nobody has told anything. */
export function overdueError(): LockError {
  return new LockError('LOCK_LOST', 'The session with ZooKeeper is lost: no server confirmed it in time.');
}

/** `what` was not sent. */
export function disconnectedError(what: string, cause: unknown): LockError {
  const why = cause instanceof Error ? ` (${cause.message.replace(/\.$/, '')})` : '';
  const message = `ZooKeeper was not asked for ${what}: there is no connection at present${why}.`;
  return new LockError('LOCK_UNAVAILABLE', message, cause === undefined ? {} : { cause });
}

/** `what` may have been done. */
export function unansweredError(what: string, cause: Error): LockError {
  return new LockError('LOCK_UNAVAILABLE', `ZooKeeper did not answer ${what}: ${cause.message}.`, { cause });
}

/** The server at `address` grants no session that could be used. */
export function shortSessionError(address: Address, timeout: number): ConnectError {
  return new ConnectError(
    address,
    `it grants sessions of ${timeout} ms; raise "maxSessionTimeout" in its configuration`,
  );
}

/** Everybody has stopped to wait for it. */
export function unusedError(): LockError {
  return new LockError('LOCK_LOST', 'The session with ZooKeeper was given up: nobody waits for it any more.');
}
