import { LockError } from '@locks/core/adapter';

/** The error for a key whose node has given out its sequence numbers. */
export function sequenceExhausted(key: string, path: string, sequence: number): LockError {
  const message =
    `The sequence numbers of ${JSON.stringify(key)} are used up: ZooKeeper gave out ${sequence} of 2147483647. ` +
    `They begin anew once the node ${path} is removed, which happens as soon as nobody holds the key or waits for it; if somebody always does, stop them for a moment.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}
