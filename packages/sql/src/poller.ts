import type { Places, Runtime, TimerHandle } from '@locks/core/adapter';
import type { Wakes } from './wakes.ts';

/**
 * Looks now and then whether it is the turn of somebody of this process who is in line: one query for all of them. Looks while
 * somebody is in line, and not before the last look was answered.
 */
export class Poller implements Wakes {
  readonly open = true;
  readonly #places: Places;
  readonly #runtime: Runtime;
  readonly #interval: () => number;
  readonly #look: (keys: readonly string[]) => Promise<readonly string[]>;
  #timer: TimerHandle | undefined = undefined;
  #looking = false;
  #paused = false;
  #closed = false;

  /** `look` answers with the owners whose turn it is; `interval` tells in how many ms. */
  constructor(
    places: Places,
    runtime: Runtime,
    interval: () => number,
    look: (keys: readonly string[]) => Promise<readonly string[]>,
  ) {
    this.#places = places;
    this.#runtime = runtime;
    this.#interval = interval;
    this.#look = look;
  }

  async start(): Promise<void> {
    this.probe();
  }

  probe(): void {
    this.#paused = false;
    if (this.#closed || this.#looking || this.#timer !== undefined || this.#places.size === 0) return;
    // Whoever waits keeps the process alive by a timer of its own.
    this.#timer = this.#runtime.setTimer(() => void this.#tick(), this.#interval(), false);
  }

  /** Stops looking until the next `probe`. */
  pause(): void {
    this.#paused = true;
    this.#stop();
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #stop(): void {
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    this.#looking = true;
    const keys = this.#places.keys();
    try {
      const turns = keys.length === 0 ? [] : await this.#look(keys);
      if (!this.#closed) for (const owner of turns) this.#places.wake(owner);
    } catch {
      // The next look may be answered; whoever is in line also asks by itself.
    } finally {
      this.#looking = false;
    }
    if (!this.#paused) this.probe();
  }
}
