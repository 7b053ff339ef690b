import type { Runtime } from './runtime.ts';

/** Resolves when `work` has settled, or after `limit` ms. Keeps the process alive until then. */
export async function settledWithin(runtime: Runtime, limit: number, work: Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = runtime.setTimer(resolve, limit, true);
    const settle = (): void => {
      runtime.clearTimer(timer);
      resolve();
    };
    work.then(settle, settle);
  });
}
