import { now } from './clock.ts';
import type { ControlEvent } from './log/events.ts';

/** In ms. */
const interval = 100;
const tolerance = 400;

/**
 * Logs when this process could not run, for the proxies are part of it: nothing passes them then.
 * On a machine under load it is also a sign that others could not run either. Returns what ends it.
 */
export function watchStalls(append: (event: ControlEvent) => void): () => void {
  let last = now();
  const timer = setInterval(() => {
    const at = now();
    if (at - last > interval + tolerance) append({ type: 'fault', at, from: last, kind: 'stall' });
    last = at;
  }, interval);
  return () => clearInterval(timer);
}
