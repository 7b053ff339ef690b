import type { Runtime } from '@locks/core/adapter';

/** Resolves after `delay` ms, or when `signal` is aborted. Does not keep the process alive. */
export function pause(runtime: Runtime, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      runtime.clearTimer(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = runtime.setTimer(end, delay, false);
    signal.addEventListener('abort', end);
  });
}
