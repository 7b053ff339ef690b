import { LockError } from '@locks/core/adapter';
import { printAddresses } from '../connection/address.ts';
import type { Address } from '../connection/address.ts';
import { ConnectError } from '../connection/errors.ts';

/** `close()` was called. */
export function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'The session with ZooKeeper was closed.');
}

/** A server said that the session is over, or will be soon. */
export function expiredError(cause: Error): LockError {
  return new LockError('LOCK_LOST', `The session with ZooKeeper is lost: ${reasonOf(cause)}.`, { cause });
}

/** The deadline of the session has passed. */
export function overdueError(): LockError {
  return new LockError('LOCK_LOST', 'The session with ZooKeeper is lost: no server confirmed it in time.');
}

/** No server has given a session for `within` ms, the last one because of `cause`. */
export function noSessionError(addresses: readonly Address[], within: number, cause: unknown): LockError {
  const why = cause instanceof Error ? reasonOf(cause) : `no answer yet from ZooKeeper at ${printAddresses(addresses)}`;
  return new LockError(
    'LOCK_UNAVAILABLE',
    `There is no session with ZooKeeper after ${Math.round(within)} ms: ${why}.`,
    {
      ...(cause === undefined ? {} : { cause }),
      sent: false,
    },
  );
}

/** `what` was not sent. */
export function disconnectedError(what: string, cause: unknown): LockError {
  const why = cause instanceof Error ? ` (${reasonOf(cause)})` : '';
  const message = `ZooKeeper was not asked for ${what}: there is no connection at present${why}.`;
  return new LockError('LOCK_UNAVAILABLE', message, cause === undefined ? {} : { cause });
}

/** `what` may have been done. */
export function unansweredError(what: string, cause: Error): LockError {
  return new LockError('LOCK_UNAVAILABLE', `ZooKeeper did not answer ${what}: ${reasonOf(cause)}.`, { cause });
}

/** The server at `address` grants no session that could be used. */
export function shortSessionError(address: Address, timeout: number): ConnectError {
  return new ConnectError(
    address,
    `it grants sessions of ${timeout} ms; raise "maxSessionTimeout" in its configuration`,
  );
}

/** All calls have stopped to wait for it. */
export function unusedError(): LockError {
  return new LockError('LOCK_LOST', 'The session with ZooKeeper was given up: no call waits for it any more.');
}

function reasonOf({ message }: Error): string {
  return message.replace(/\.$/, '');
}
