import type { LockState } from '@locks/core';
import type { ShownLocks } from '../options.ts';

/** The keys of a store at one moment. */
export interface KeyList {
  /** Sorted. */
  readonly keys: readonly string[];
  /** There are more, which were not read. */
  readonly more: boolean;
}

/** A look that was begun. */
interface Look<T> {
  /** Until then it is shared, in ms of the monotonic clock. `Infinity`: there is no answer yet. */
  until: number;
  readonly answer: Promise<T>;
}

/** In ms. Pages look each second: those that look at the same time share the calls. */
const shareFor = 900;

/** A list is shared for so many times as long as it took, up to 5 s: it costs at most a tenth. */
const restOfList = 9;
const longestRest = 5_000;

/** More keys would need some 100 MB, and a second of each look to sort them. */
const mostKeys = 100_000;

/** Asks the store what is shown. It asks nothing unless a page wants it. */
export class Looks {
  readonly #locks: ShownLocks;
  readonly #prefix: string;
  readonly #states = new Map<string, Look<LockState>>();
  #list: Look<KeyList> | undefined = undefined;

  constructor(locks: ShownLocks, prefix: string) {
    this.#locks = locks;
    this.#prefix = prefix;
  }

  /** The keys that are held or waited for. */
  async keys(): Promise<KeyList> {
    this.#list = shared(this.#list) ?? begin(this.#readKeys(), restOfList);
    return await this.#list.answer;
  }

  async state(key: string): Promise<LockState> {
    const look = shared(this.#states.get(key)) ?? begin(this.#locks.inspect(key));
    this.#states.set(key, look);
    return await look.answer;
  }

  /** Forgets what is too old to be shared. */
  sweep(): void {
    for (const [key, look] of this.#states) if (shared(look) === undefined) this.#states.delete(key);
  }

  /** The next look asks the store again, as `key` was changed. */
  forget(key: string): void {
    this.#states.delete(key);
    this.#list = undefined;
  }

  async #readKeys(): Promise<KeyList> {
    const keys: string[] = [];
    for await (const key of this.#locks.list(this.#prefix)) {
      if (keys.length === mostKeys) return { keys: keys.toSorted(), more: true };
      keys.push(key);
    }
    return { keys: keys.toSorted(), more: false };
  }
}

function begin<T>(answer: Promise<T>, rest = 0): Look<T> {
  const at = performance.now();
  const look: Look<T> = { until: Infinity, answer };
  const settle = (pause: number): void => {
    look.until = Math.max(at + shareFor, performance.now() + pause);
  };
  answer.then(
    () => settle(Math.min(longestRest, rest * (performance.now() - at))),
    () => settle(0),
  );
  return look;
}

function shared<T>(look: Look<T> | undefined): Look<T> | undefined {
  return look !== undefined && performance.now() < look.until ? look : undefined;
}
