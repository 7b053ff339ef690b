import type { Socket } from 'node:net';

/** The output of a pump: a piece of the stream, its orderly end, or its end by a failure. */
export type Item = Buffer | 'end' | 'failure';

/** How one direction of a connection is pumped. */
export interface PumpOptions {
  readonly from: Socket;
  readonly to: Socket;
  /** In ms, read for each item. */
  readonly delay: () => number;
  /** Whether the next item must wait; when that changes, call `flush`. */
  readonly held: () => boolean;
  /** Takes the items, in order. */
  readonly deliver: (item: Item) => void;
}

/** One direction of a connection. */
export interface Pump {
  /** Delivers the items that are due. */
  flush(): void;
  /** The same, but one by one: a request is executed before its cancellation arrives. */
  deliverOneByOne(): void;
  /** Drops pending and future items. */
  stop(): void;
}

/** In ms: between two pieces, and for all of them, that are delivered one by one. */
const gap = 10;
const longest = 200;
/** The most pending data before reading stops, in bytes. */
const limit = 1024 * 1024;

/**
 * Pumps from one socket to another, which writes the items; reads no faster than the other takes
 * it.
 */
export function startPump({ from, to, delay, held, deliver }: PumpOptions): Pump {
  const queue: { readonly due: number; readonly item: Item }[] = [];
  let bytes = 0;
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function push(item: Item): void {
    if (stopped) return;
    // Never earlier than the one before, even if the delay has changed.
    last = Math.max(last, performance.now() + delay());
    queue.push({ due: last, item });
    bytes += sizeOf(item);
    flush();
  }

  function flush(): void {
    clearTimeout(timer);
    for (let next = queue[0]; next !== undefined && !held(); next = queue[0]) {
      const wait = next.due - performance.now();
      if (wait > 0) {
        timer = setTimeout(flush, Math.ceil(wait));
        break;
      }
      queue.shift();
      bytes -= sizeOf(next.item);
      deliver(next.item);
    }
    pace();
  }

  function pace(): void {
    if (to.writableNeedDrain || bytes > limit) from.pause();
    else from.resume();
  }

  from.on('data', (piece: Buffer) => push(piece));
  from.once('end', () => push('end'));
  from.once('close', () => {
    if (!from.readableEnded || from.errored !== null) push('failure');
  });
  to.on('drain', pace);

  return {
    flush,
    deliverOneByOne() {
      const now = performance.now();
      const apart = Math.min(gap, longest / queue.length);
      for (const [index, { item, due }] of queue.entries()) {
        last = Math.max(due, now + index * apart);
        queue[index] = { item, due: last };
      }
      flush();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      queue.length = 0;
    },
  };
}

function sizeOf(item: Item): number {
  return typeof item === 'string' ? 0 : item.length;
}
