import type { Lease } from '../../lease.ts';
import type { LockCalls } from '../../leases/lock-calls.ts';
import type { AcquireOptions } from '../../options/acquire-options.ts';
import type { Runtime, TimerHandle } from '../../time/runtime.ts';

/** Between two checks of what is awaited, in ms. Less costs more commands. */
const look = 1_000;

/**
 * Waits for the lock `key` and runs `work` under it, while `isWanted`. It keeps its position in the
 * queue meanwhile. `undefined`: no lock in time, or it is no longer wanted.
 */
export async function tryWhile<T>(
  { locks, runtime }: { readonly locks: LockCalls; readonly runtime: Runtime },
  key: string,
  options: AcquireOptions,
  isWanted: () => Promise<boolean>,
  work: (lease: Lease) => Promise<T>,
): Promise<T | undefined> {
  const unwanted = new AbortController();
  let timer: TimerHandle | undefined;
  let waits = true;
  const plan = (): void => {
    timer = runtime.setTimer(() => void check(), look, false);
  };
  const check = async (): Promise<void> => {
    // A store that does not answer proves nothing.
    const wanted = await isWanted().catch(() => true);
    if (!waits) return;
    if (wanted) plan();
    else unwanted.abort();
  };
  const stop = (): void => {
    waits = false;
    if (timer !== undefined) runtime.clearTimer(timer);
  };
  const signals = options.signal === undefined ? [unwanted.signal] : [options.signal, unwanted.signal];
  plan();
  try {
    const result = await locks.tryWithLock(key, { ...options, signal: AbortSignal.any(signals) }, async (lease) => {
      stop();
      return await work(lease);
    });
    return result.held ? result.value : undefined;
  } catch (error) {
    if (unwanted.signal.aborted && error === unwanted.signal.reason) return undefined;
    throw error;
  } finally {
    stop();
  }
}
