import type { Runtime, TimerHandle } from './runtime.ts';

/** Something due once, at a time it can move. The links belong to the timer wheel. */
export interface TimerEntry {
  /** The entry before it. `undefined`: none. */
  timerPrevious: TimerEntry | undefined;
  /** The entry after it. `undefined`: none. */
  timerNext: TimerEntry | undefined;
  /** Called when it is due; it has left the timer wheel then. Must not throw. */
  due(now: number): void;
}

interface Bucket extends TimerEntry {
  readonly at: number;
  /** It is in the heap: not due yet. */
  pending: boolean;
}

/**
 * The longest sleep of the timer, in ms. It does not count the time that a machine was suspended.
 * With more, an entry that became due meanwhile waits longer after it.
 */
const longestSleep = 1_000;

/** Fewer empty buckets than this stay in the heap, until they are due. */
const emptiesKept = 64;

/**
 * A timer wheel with buckets made on demand. Entries of the same millisecond share a bucket, a heap
 * orders the buckets, and one timer serves all. Almost every lease is released long before it is
 * due, so adding, moving and removing are a few pointer writes. Callers round times that may be
 * early, so that many entries share a bucket. When more than half of the buckets are empty, the
 * empty ones are removed.
 */
export class TimerWheel {
  readonly #runtime: Runtime;
  readonly #keepAlive: boolean;
  readonly #buckets = new Map<number, Bucket>();
  #heap: Bucket[] = [];
  #empties = 0;
  #size = 0;
  #timer: TimerHandle | undefined;
  #timerAt = Infinity;

  constructor(runtime: Runtime, keepAlive: boolean) {
    this.#runtime = runtime;
    this.#keepAlive = keepAlive;
  }

  /** How many entries it contains. */
  get size(): number {
    return this.#size;
  }

  /** Moves `entry` to `at` (ms of the runtime's clock, rounded up). `Infinity` only removes it. */
  schedule(entry: TimerEntry, at: number): void {
    if (entry.timerNext !== undefined) this.cancel(entry);
    if (at === Infinity) return;
    const bucket = this.#bucket(Math.ceil(at));
    const last = bucket.timerPrevious ?? bucket;
    if (last === bucket) this.#empties -= 1;
    entry.timerPrevious = last;
    entry.timerNext = bucket;
    last.timerNext = entry;
    bucket.timerPrevious = entry;
    this.#size += 1;
    if (bucket.at < this.#timerAt) this.#arm(bucket.at);
  }

  /** Removes `entry`, if it is in the timer wheel. */
  cancel(entry: TimerEntry): void {
    const previous = entry.timerPrevious;
    const next = entry.timerNext;
    if (previous === undefined || next === undefined) return;
    previous.timerNext = next;
    next.timerPrevious = previous;
    entry.timerPrevious = undefined;
    entry.timerNext = undefined;
    this.#size -= 1;
    // In a ring of one, that one is the bucket.
    if (previous === next && (next as Bucket).pending) this.#countEmpty();
    // A remaining timer would keep the process alive; one that does not may fire in vain.
    if (this.#size === 0 && this.#keepAlive) this.stop();
  }

  /** Stops the timer and forgets all entries. */
  stop(): void {
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#timerAt = Infinity;
    this.#buckets.clear();
    this.#heap = [];
    this.#empties = 0;
  }

  #countEmpty(): void {
    this.#empties += 1;
    if (this.#empties <= emptiesKept || this.#empties * 2 <= this.#heap.length) return;
    const all = this.#heap;
    this.#heap = [];
    this.#empties = 0;
    for (const bucket of all) {
      if (isEmpty(bucket)) this.#buckets.delete(bucket.at);
      else push(this.#heap, bucket);
    }
  }

  #bucket(at: number): Bucket {
    const known = this.#buckets.get(at);
    if (known !== undefined) return known;
    const bucket: Bucket = { at, pending: true, timerPrevious: undefined, timerNext: undefined, due: nothing };
    bucket.timerPrevious = bucket;
    bucket.timerNext = bucket;
    this.#buckets.set(at, bucket);
    push(this.#heap, bucket);
    this.#empties += 1;
    return bucket;
  }

  #arm(at: number): void {
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timerAt = at;
    const delay = Math.ceil(at - this.#runtime.clock.now());
    this.#timer = this.#runtime.setTimer(
      () => this.#fire(),
      Math.min(Math.max(delay, 1), longestSleep),
      this.#keepAlive,
    );
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerAt = Infinity;
    const now = this.#runtime.clock.exact();
    for (let first = this.#heap[0]; first !== undefined && first.at <= now; first = this.#heap[0]) {
      pop(this.#heap);
      this.#buckets.delete(first.at);
      first.pending = false;
      if (isEmpty(first)) this.#empties -= 1;
      for (let entry = first.timerNext; entry !== undefined && entry !== first; entry = first.timerNext) {
        this.cancel(entry);
        entry.due(now);
      }
    }
    const first = this.#heap[0];
    if (first !== undefined && first.at < this.#timerAt) this.#arm(first.at);
  }
}

function nothing(): void {}

function isEmpty(bucket: Bucket): boolean {
  return bucket.timerNext === bucket;
}

function push(heap: Bucket[], bucket: Bucket): void {
  let index = heap.push(bucket) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (bucketAt(heap, parent).at <= bucket.at) break;
    heap[index] = bucketAt(heap, parent);
    index = parent;
  }
  heap[index] = bucket;
}

function pop(heap: Bucket[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && bucketAt(heap, child + 1).at < bucketAt(heap, child).at) child += 1;
    if (bucketAt(heap, child).at >= last.at) break;
    heap[index] = bucketAt(heap, child);
    index = child;
  }
  heap[index] = last;
}

function bucketAt(heap: readonly Bucket[], index: number): Bucket {
  return heap[index] as Bucket;
}
