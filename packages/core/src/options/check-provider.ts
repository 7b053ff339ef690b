import type { LockProvider } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';

/** Throws `LOCK_MISCONFIGURED` unless `provider` has what the contract demands. */
export function checkProvider(provider: LockProvider): void {
  const methods = ['tryAcquire', 'renew', 'release', 'inspect', 'close'] as const;
  const isProvider =
    typeof provider?.traits === 'object' && methods.every((name) => typeof provider[name] === 'function');
  if (isProvider) return;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    'createLocks needs a provider, such as createMemoryProvider(); for a URL or a configuration use openLocks.',
  );
}
