import type { Runtime, TimerHandle } from '../../time/runtime.ts';
import type { FoundTurn, Look } from './line-parts.ts';
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
  /** Asked for a look while one was under way, which may have missed the turn. */
  #again = false;
  #heard = false;
  #closed = false;

  constructor(look: Look, places: Places, runtime: Runtime) {
    this.#look = look;
    this.#places = places;
    this.#runtime = runtime;
  }

  /** Looks from now on, while a claim is in line. `heard`: as often as beside a listener. */
  start(heard: boolean): void {
    if (heard !== this.#heard) this.#stop();
    this.#heard = heard;
    this.#schedule();
  }

  /** Looks at once, if it looks beside a listener at all. */
  lookNow(): void {
    if (this.#closed || this.#look.heardInterval === undefined) return;
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#stop();
    void this.#tick();
  }

  close(): void {
    this.#closed = true;
    this.#stop();
  }

  #wake({ owner, assigned }: FoundTurn, sentAt: number): void {
    if (assigned !== undefined) this.#places.assign(owner, { ...assigned, sentAt });
    this.#places.wake(owner);
  }

  #schedule(): void {
    if (this.#closed || this.#looking || this.#timer !== undefined || this.#places.size === 0) return;
    const { heardInterval, interval } = this.#look;
    const pause = this.#heard ? heardInterval : interval();
    if (pause === undefined) return;
    // A waiter keeps the process running by a timer of its own.
    this.#timer = this.#runtime.setTimer(() => void this.#tick(), pause, false);
  }

  #stop(): void {
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    this.#looking = true;
    try {
      const keys = this.#places.keys();
      const sentAt = this.#runtime.clock.exact();
      const turns = keys.length === 0 ? [] : await this.#look.turns(keys);
      if (!this.#closed) for (const turn of turns) this.#wake(turn, sentAt);
    } catch {
      // The next look may be answered. A claim in line also asks at its own pace.
    } finally {
      this.#looking = false;
    }
    if (this.#again) {
      this.#again = false;
      this.lookNow();
    } else {
      this.#schedule();
    }
  }
}
