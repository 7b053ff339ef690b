import { LockError, reasonOf } from '@locks/core/adapter';

/** `close()` was called. */
export function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'The session with ZooKeeper was closed.');
}

/** A server reported that the session is over, or will be soon. */
export function expiredError(cause: Error): LockError {
  return new LockError('LOCK_LOST', `The session with ZooKeeper is lost: ${reasonOf(cause)}.`, { cause });
}

/** The deadline of the session has passed. `cause`: why it has no connection. */
export function overdueError(cause: Error | undefined): LockError {
  const why = cause === undefined ? '' : ` (${reasonOf(cause)})`;
  const message = `The session with ZooKeeper is lost: no server confirmed it in time${why}.`;
  return new LockError('LOCK_LOST', message, cause === undefined ? {} : { cause });
}

/** No server has granted a session within `within` ms, the last one because of `cause`. */
export function noSessionError(servers: string, within: number, cause: unknown): LockError {
  const why = cause instanceof Error ? reasonOf(cause) : `no answer yet from ZooKeeper at ${servers}`;
  return new LockError(
    'LOCK_UNAVAILABLE',
    `There is no session with ZooKeeper after ${Math.round(within)} ms: ${why}.`,
    {
      ...(cause === undefined ? {} : { cause }),
      sent: false,
    },
  );
}

/** No call waits for it any more. */
export function unusedError(): LockError {
  return new LockError('LOCK_LOST', 'The session with ZooKeeper was given up: no call waits for it any more.');
}
