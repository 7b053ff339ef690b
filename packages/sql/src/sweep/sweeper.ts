import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { Swept } from '../dialect/stores/store.ts';

/**
 * Removes the rows of idle keys. The pause is between a quarter and a half of the retention, and
 * twelve hours at most.
 */
export class Sweeper {
  readonly #runtime: Runtime;
  readonly #interval: number;
  readonly #step: (after: string) => Promise<Pick<Swept, 'next'>>;
  /**
   * Where the next step begins. A sweep that failed goes on there, so that the last rows of a long
   * table have their turn too.
   */
  #after = '';
  #timer: TimerHandle | undefined = undefined;
  #stopped = false;

  /** `step` begins after a key. */
  constructor(runtime: Runtime, retention: number, step: (after: string) => Promise<Pick<Swept, 'next'>>) {
    this.#runtime = runtime;
    this.#interval = Math.min(retention / 4, 6 * 3_600_000);
    this.#step = step;
  }

  /** From the first claim on: a provider that is never used does nothing. */
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
      // The next sweep may succeed. Until then the rows stay, which does no harm.
    } finally {
      this.#timer = undefined;
      this.start();
    }
  }
}
