import { LockError } from './lock-error.ts';
import type { LockErrorOptions } from './lock-error.ts';

/**
 * `LOCK_MISCONFIGURED`. `where` names the package or call, and `why` has no full stop:
 * `@locks/redis: why.`
 */
export function misconfigured(where: string, why: string, options?: LockErrorOptions): LockError {
  return new LockError('LOCK_MISCONFIGURED', `${where}: ${why}.`, options);
}
