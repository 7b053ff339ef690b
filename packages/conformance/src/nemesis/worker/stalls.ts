import type { HistoryEvent } from '@locks/core/testing';
import { now } from '../clock.ts';

/** In ms. */
const interval = 20;

/**
 * Records when this process could not run for more than `tolerance` ms. In the controller, whose
 * proxies pass nothing then, that is a fault of all. Returns a function that ends it.
 */
export function watchStalls(
  tolerance: number,
  note: (event: HistoryEvent) => void,
  who: { readonly process: string; readonly hit?: string },
): () => void {
  let last = now();
  const timer = setInterval(() => {
    const at = now();
    if (at - last > interval + tolerance) note({ type: 'fault', at, from: last, kind: 'stall', ...who });
    last = at;
  }, interval);
  return () => clearInterval(timer);
}
