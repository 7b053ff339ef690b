import type { Runtime } from '@locks/core/adapter';

/** Resolves after `delay` ms. Keeps the process alive until then. */
export function pause(runtime: Runtime, delay: number): Promise<void> {
  return new Promise((resolve) => {
    runtime.setTimer(resolve, delay, true);
  });
}
