import { isLockError } from '@locks/core';
import type { JobRun } from '@locks/core';
import { jobOfLock, lockOfJob } from '@locks/core/adapter';
import { naturally } from '@locks/core/text';
import type { ShownLocks } from '../options.ts';
import type { ShownState } from './key-view.ts';

/** The keys of a store at one moment. */
export interface KeyList {
  /** Sorted. */
  readonly keys: readonly string[];
  /** More keys exist, which were not read. */
  readonly more: boolean;
}

/** A query in progress or answered. */
interface Look<T> {
  /** How long it is shared, in ms of the monotonic clock. `Infinity`: it is not answered yet. */
  until: number;
  readonly answer: Promise<T>;
}

/** In ms. Pages poll each second: those that poll together share the calls. */
const shareFor = 900;

/**
 * A query of many keys is shared for this multiple of its duration, up to 5 s: it uses at most a
 * tenth of the time.
 */
const restOfMany = 9;
const longestRest = 5_000;

/** More simultaneous calls would only wait in the client, and delay the page's own. */
const atOnce = 50;

/** More keys would need some 100 MB, and a second per query to sort them. */
const mostKeys = 100_000;

/** Queries the store, only when a page needs it. */
export class Looks {
  readonly #locks: ShownLocks;
  readonly #prefix: string;
  readonly #states = new Map<string, Look<ShownState>>();
  readonly #waiters = new Map<string, Look<ReadonlyMap<string, number>>>();
  #list: Look<KeyList> | undefined = undefined;

  constructor(locks: ShownLocks, prefix: string) {
    this.#locks = locks;
    this.#prefix = prefix;
  }

  /** The keys that are held or waited for. */
  async keys(): Promise<KeyList> {
    this.#list = shared(this.#list) ?? begin(this.#readKeys(), restOfMany);
    return await this.#list.answer;
  }

  async state(key: string): Promise<ShownState> {
    const look = shared(this.#states.get(key)) ?? begin(this.#readState(key));
    this.#states.set(key, look);
    return await look.answer;
  }

  /** How many claims wait for each of `keys`, which are those of `filter`. */
  async waiters(filter: string, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const look = shared(this.#waiters.get(filter)) ?? begin(this.#countWaiters(keys), restOfMany);
    this.#waiters.set(filter, look);
    return await look.answer;
  }

  /** Drops what is too old to be shared. */
  sweep(): void {
    for (const looks of [this.#states, this.#waiters]) {
      for (const [name, look] of looks) if (shared<unknown>(look) === undefined) looks.delete(name);
    }
  }

  /** The next query asks the store again, as `key` was changed. */
  forget(key: string): void {
    this.#states.delete(key);
    this.#list = undefined;
  }

  async #countWaiters(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const waiters = new Map<string, number>();
    for (let at = 0; at < keys.length; at += atOnce) {
      const states = await Promise.all(keys.slice(at, at + atOnce).map(async (key) => await this.#locks.inspect(key)));
      for (const state of states) waiters.set(state.key, state.waiters);
    }
    return waiters;
  }

  async #readState(key: string): Promise<ShownState> {
    const job = jobOfLock(key);
    if (job === undefined) return await this.#locks.inspect(key);
    const [state, run] = await Promise.all([this.#locks.inspect(key), this.#runOf(job)]);
    return { ...state, run };
  }

  async #runOf(job: string): Promise<JobRun | undefined> {
    try {
      return await this.#locks.job?.(job);
    } catch (error) {
      // A store without registers has no jobs.
      if (isLockError(error, 'LOCK_MISCONFIGURED')) return undefined;
      throw error;
    }
  }

  async #readKeys(): Promise<KeyList> {
    const keys: string[] = [];
    for (const prefix of prefixesOf(this.#prefix)) {
      for await (const key of this.#locks.list(prefix)) {
        if (keys.length === mostKeys) return { keys: keys.toSorted(naturally), more: true };
        keys.push(key);
      }
    }
    return { keys: [...new Set(keys)].toSorted(naturally), more: false };
  }
}

/** The prefixes of the shown keys: their own, and that of jobs. */
export function prefixesOf(prefix: string): readonly string[] {
  return prefix === '' ? [''] : [prefix, lockOfJob(prefix)];
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
