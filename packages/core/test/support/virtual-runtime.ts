export { VirtualRuntime } from '../../src/testing/virtual-runtime.ts';

/** Lets all promises that can settle do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
