import type { Runtime, TimerHandle } from '@locks/core/adapter';

/** As many rows as one statement removes at most: it must not take long. */
export const sweepBatch = 500;

/** Removes the rows of idle keys: a quarter of the retention after the last time, or up to a half, and every six hours at least. */
export class Sweeper {
  readonly #runtime: Runtime;
  readonly #interval: number;
  readonly #sweep: (limit: number) => Promise<number>;
  #timer: TimerHandle | undefined = undefined;
  #stopped = false;

  /** `sweep` removes so many rows at most, and tells how many it was. */
  constructor(runtime: Runtime, retention: number, sweep: (limit: number) => Promise<number>) {
    this.#runtime = runtime;
    this.#interval = Math.min(retention / 4, 6 * 3_600_000);
    this.#sweep = sweep;
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
      while (!this.#stopped && (await this.#sweep(sweepBatch)) === sweepBatch);
    } catch {
      // The next time may be better; meanwhile rows stay, which harms nobody.
    } finally {
      this.#timer = undefined;
      this.start();
    }
  }
}
