import { idOf, keyOfId } from './job-store.ts';

const prefix = 'once/';

/** The key of the lock that is held while the job with this id runs. */
export function lockOfId(id: string): string {
  return `${prefix}${id}`;
}

/** The key of the lock that is held while the job `key` runs. */
export function lockOfJob(key: string): string {
  return lockOfId(idOf(key));
}

/** The job whose lock has the key `lockKey`, or the beginning of a very long one. */
export function jobOfLock(lockKey: string): string | undefined {
  if (!lockKey.startsWith(prefix)) return undefined;
  const id = lockKey.slice(prefix.length);
  try {
    const key = keyOfId(id);
    return id.includes('#') || idOf(key) === id ? key : undefined;
  } catch {
    // A caller has named its own lock like this.
    return undefined;
  }
}
