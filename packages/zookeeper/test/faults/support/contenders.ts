import { eventually } from '@locks/test-servers';
import { createFencingGuard, createLocks, isLockError } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { createZookeeperProvider } from '../../../src/index.ts';
import type { ZookeeperProviderOptions } from '../../../src/index.ts';
import type { Chance } from './chance.ts';

/** The contenders, and the keys that they take. */
export interface ContendersParts {
  readonly options: ZookeeperProviderOptions;
  /** Each has a session of its own. */
  readonly providers: number;
  /** Of all providers together. */
  readonly contenders: number;
  readonly keys: readonly string[];
  readonly chance: Chance;
}

/** A number that is read, and later written. */
interface Counter {
  value: number;
  writes: number;
}

/** How often the leases are asked whether they are held, in ms. */
const interval = 5;

/**
 * Contenders that take one lock after another. A holder changes a counter that two holders at once
 * would spoil. All leases are on one clock: a history of them finds two that are held at one
 * moment.
 */
export class Contenders implements AsyncDisposable {
  readonly problems: string[] = [];
  grants = 0;
  /** How often a lease was lost, or a call got no answer. */
  hurt = 0;
  readonly #parts: ContendersParts;
  readonly #locks: readonly Locks[];
  readonly #counters: ReadonlyMap<string, Counter>;
  readonly #guard = createFencingGuard();
  readonly #served: number[];
  readonly #over = new AbortController();
  readonly #work: readonly Promise<void>[];
  readonly #looking: NodeJS.Timeout;
  readonly #history = createHistory(() => performance.now());

  constructor(parts: ContendersParts) {
    const { options, providers, contenders, keys } = parts;
    this.#parts = parts;
    this.#locks = Array.from({ length: providers }, (_, index) =>
      createLocks(createZookeeperProvider(options), { label: `process-${index}` }),
    );
    this.#counters = new Map(keys.map((key) => [key, { value: 0, writes: 0 }]));
    this.#served = Array.from({ length: contenders }, () => 0);
    this.#looking = setInterval(() => this.#history.look(), interval);
    this.#work = this.#served.map((_, index) => this.#contend(index));
  }

  /** Waits until each contender has held a lock that it asked for after this call. */
  async allServed(within: number): Promise<void> {
    // A lock that it holds or waits for at present does not count.
    const before = [...this.#served];
    const late = (): number[] => [...this.#served.keys()].filter((index) => this.#servedSince(before, index) < 2);
    try {
      await eventually('all are served', () => late().length === 0, within);
    } catch (error) {
      throw new Error(`contenders ${late().join(', ')} of ${this.#served.length} are not served`, { cause: error });
    }
  }

  /** Lets all come to an end, and checks the history and the counters. */
  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#work);
    clearInterval(this.#looking);
    this.#history.look();
    this.grants = this.#history.events.filter(({ type }) => type === 'granted').length;
    this.problems.push(...checkHistory(this.#history.events).map(({ message }) => message));
    for (const [key, { value, writes }] of this.#counters) {
      if (value !== writes) this.problems.push(`the counter of "${key}" is ${value} after ${writes} increments`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    clearInterval(this.#looking);
    await Promise.all(this.#locks.map((locks) => locks.close()));
    await Promise.all(this.#work);
  }

  #servedSince(before: readonly number[], index: number): number {
    return (this.#served[index] ?? 0) - (before[index] ?? 0);
  }

  async #contend(index: number): Promise<void> {
    const { keys, chance } = this.#parts;
    const locks = this.#locks[index % this.#locks.length];
    const { signal } = this.#over;
    while (locks !== undefined && !signal.aborted) {
      try {
        const lease = await locks.acquire(chance.of(keys), { signal });
        this.#history.granted(`process-${index % this.#locks.length}`, lease);
        await this.#increment(lease);
        this.#served[index] = (this.#served[index] ?? 0) + 1;
        await this.#history.release(lease);
      } catch (error) {
        if (signal.aborted) return;
        if (isLockError(error, 'LOCK_UNAVAILABLE') || isLockError(error, 'LOCK_LOST')) this.hurt += 1;
        else this.problems.push(`contender ${index}: ${String(error)}`);
        await delay(chance.between(1, 50));
      }
    }
  }

  /** Reads, and writes a while later, if the lock is certainly held then. */
  async #increment(lease: Lease): Promise<void> {
    const { chance } = this.#parts;
    const counter = this.#counters.get(lease.key);
    if (counter === undefined) return;
    const { value } = counter;
    // Now and then a contender is still at it when something breaks.
    await delay(chance.number() < 0.01 ? chance.between(100, 1_000) : chance.between(1, 5));
    if (!lease.held) {
      this.hurt += 1;
      return;
    }
    this.#guard.check(lease.key, lease);
    counter.value = value + 1;
    counter.writes += 1;
  }
}
