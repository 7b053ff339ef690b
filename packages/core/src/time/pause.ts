import type { Runtime } from './runtime.ts';

/** Resolves after `ms`, or when `signal` aborts. Keeps the process running until then. */
export async function pause(runtime: Runtime, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      runtime.clearTimer(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = runtime.setTimer(end, ms, true);
    signal.addEventListener('abort', end);
  });
}
