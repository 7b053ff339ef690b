import type { Runtime, TimerHandle } from '../../time/runtime.ts';
import type { Look } from './line-parts.ts';
import type { Places } from './places.ts';

/**
 * Finds turns by asking: one query for all claims in line. Looks while a claim is in line, and not
 * before the last look was answered.
 */
export class Poller {
  readonly #look: Look;
  readonly #places: Places;
  readonly #runtime: Runtime;
  #timer: TimerHandle | undefined = undefined;
  #looking = false;
  #paused = false;
  #closed = false;

  constructor(look: Look, places: Places, runtime: Runtime) {
    this.#look = look;
    this.#places = places;
    this.#runtime = runtime;
  }

  /** Looks from now on, while a claim is in line. */
  start(): void {
    this.#paused = false;
    if (this.#closed || this.#looking || this.#timer !== undefined || this.#places.size === 0) return;
    // A waiter keeps the process running by a timer of its own.
    this.#timer = this.#runtime.setTimer(() => void this.#tick(), this.#look.interval(), false);
  }

  /** Stops looking until the next `start`. */
  pause(): void {
    this.#paused = true;
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.#closed = true;
    this.pause();
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    this.#looking = true;
    try {
      const keys = this.#places.keys();
      const turns = keys.length === 0 ? [] : await this.#look.turns(keys);
      if (!this.#closed) for (const owner of turns) this.#places.wake(owner);
    } catch {
      // The next look may be answered. A claim in line also asks at its own pace.
    } finally {
      this.#looking = false;
    }
    if (!this.#paused) this.start();
  }
}
