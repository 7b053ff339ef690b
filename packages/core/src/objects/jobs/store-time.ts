import type { LockProvider } from '../../contract.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';
import type { Runtime } from '../../time/runtime.ts';

interface StoreHost {
  readonly provider: LockProvider;
  readonly runtime: Runtime;
}

/** Ms since 1970 by the clock of the store, or of this process if the store has none. */
export async function storeTime({ provider, runtime }: StoreHost): Promise<number> {
  const { clock } = runtime;
  if (provider.time === undefined) return Math.round(clock.origin + clock.now());
  let cause: unknown;
  try {
    const now: unknown = await provider.time();
    if (typeof now === 'number' && now > 0 && now <= Number.MAX_SAFE_INTEGER) return Math.round(now);
    cause = new Error(`it returned ${String(now)}`);
  } catch (error) {
    if (isLockError(error)) throw error;
    cause = error;
  }
  throw new LockError('LOCK_UNAVAILABLE', `${provider.name} did not report its time; see the cause.`, { cause });
}
