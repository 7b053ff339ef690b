import { LockError, reasonOf } from '@locks/core/adapter';

/** `what` was not sent. */
export function disconnectedError(what: string, cause: unknown): LockError {
  const why = cause instanceof Error ? ` (${reasonOf(cause)})` : '';
  const message = `ZooKeeper was not asked for ${what}: there is no connection at present${why}.`;
  return new LockError('LOCK_UNAVAILABLE', message, cause === undefined ? {} : { cause });
}

/** The server may have executed `what`. */
export function unansweredError(what: string, cause: Error): LockError {
  return new LockError('LOCK_UNAVAILABLE', `ZooKeeper did not answer ${what}: ${reasonOf(cause)}.`, { cause });
}
