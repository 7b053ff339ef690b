import { LockError } from '@locks/core/adapter';

/** The error for a wrong or missing option. `why` names the option and the way out. */
export function misconfigured(why: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', `@locks/zookeeper: ${why}.`);
}
