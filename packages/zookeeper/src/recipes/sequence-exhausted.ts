import { LockError } from '@locks/core/adapter';

/** The error for a key whose folder has given out its sequence numbers. */
export function sequenceExhausted(key: string, folder: string, sequence: number): LockError {
  const message =
    `The sequence numbers of ${JSON.stringify(key)} are used up: ZooKeeper gave out ${sequence} of 2147483647. ` +
    `They begin anew once the node ${folder} is removed, as soon as no client holds the key or waits for it. Stop its clients for a moment if some always do.`;
  return new LockError('LOCK_UNAVAILABLE', message, { key });
}
