import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { Swept } from '../dialect/stores/store.ts';

/**
 * Removes the rows of idle keys, after pauses of a quarter to a half of the retention, at most
 * twelve hours.
 */
export class Sweeper {
  readonly #runtime: Runtime;
  readonly #interval: number;
  readonly #step: (after: string) => Promise<Pick<Swept, 'next'>>;
  /**
   * Where the next step begins. After a failure the next sweep continues there, so that the last
   * rows of a long table are reached.
   */
  #after = '';
  #timer: TimerHandle | undefined = undefined;
  #stopped = false;

  /** `step` starts after a key. */
  constructor(runtime: Runtime, retention: number, step: (after: string) => Promise<Pick<Swept, 'next'>>) {
    this.#runtime = runtime;
    this.#interval = Math.min(retention / 4, 6 * 3_600_000);
    this.#step = step;
  }

  /** Called at the first claim: an unused provider does nothing. */
  start(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    // Spread: all processes of a fleet may have started together.
    const delay = this.#interval * (1 + this.#runtime.random());
    this.#timer = this.#runtime.setTimer(() => void this.#run(), delay, false);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
  }

  async #run(): Promise<void> {
    try {
      for (let next: string | undefined = this.#after; next !== undefined && !this.#stopped;) {
        this.#after = next;
        ({ next } = await this.#step(next));
      }
      this.#after = '';
    } catch {
      // The next sweep may succeed. Rows that stay are harmless.
    } finally {
      this.#timer = undefined;
      this.start();
    }
  }
}
