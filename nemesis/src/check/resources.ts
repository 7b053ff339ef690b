import type { RunLog } from '../log/events.ts';

/** In bytes: what a worker's heap may have at its end. */
const heapBound = 200 * 2 ** 20;

/**
 * Workers that lived on are not filled with what is over, and nothing of the locks keeps them
 * running.
 */
export function* checkResources({ workers }: RunLog): Iterable<string> {
  for (const [worker, events] of workers) {
    for (const event of events) {
      if (event.type !== 'close') continue;
      if (event.heap > heapBound) yield `${worker} has a heap of ${Math.round(event.heap / 2 ** 20)} MiB at its end`;
      const foreign = event.open.filter((name) => !name.startsWith('PipeWrap') && name !== 'TTYWrap');
      if (foreign.length > 0) yield `${worker} has open after close: ${foreign.join(', ')}`;
    }
  }
}
