import type { Clock } from '@locks/core/adapter';
import { LinkedSet, scheduleSilence } from '@locks/core/composite';
import type { Linked, TimerEntry, TimerWheel } from '@locks/core/composite';

/** A wait for an answer of members. */
export interface Wait extends Linked {
  /** In ms of the clock. */
  readonly since: number;
  readonly silent: () => void;
  /** Called after `limit` ms, and not before `silent`. */
  readonly expired: (() => void) | undefined;
  readonly limit: number;
  /** Until it has expired. */
  timer: TimerEntry | undefined;
}

/**
 * Notifies waits that have lasted a member timeout. As it is the same for all, one timer serves
 * them in order.
 */
export class Silences {
  readonly #timers: TimerWheel;
  readonly #clock: Clock;
  /** In ms. */
  readonly #after: number;
  readonly #waits = new LinkedSet<Wait>();
  #armed = false;

  /** `after`: the member timeout, in ms. */
  constructor(timers: TimerWheel, clock: Clock, after: number) {
    this.#timers = timers;
    this.#clock = clock;
    this.#after = after;
  }

  begin(silent: () => void, expired?: () => void, limit = 0): Wait {
    const since = this.#clock.now();
    const wait: Wait = { since, silent, expired, limit, timer: undefined, setPrevious: undefined, setNext: undefined };
    this.#waits.add(wait);
    if (!this.#armed) this.#arm(wait);
    return wait;
  }

  /** The answer has arrived. `false`: its silence had been reported. */
  end(wait: Wait): boolean {
    if (wait.timer !== undefined) this.#timers.cancel(wait.timer);
    const waited = wait.setNext !== undefined;
    this.#waits.delete(wait);
    return waited;
  }

  #arm({ since }: Wait): void {
    this.#armed = true;
    scheduleSilence(this.#timers, since + this.#after, () => this.#tell());
  }

  #tell(): void {
    const now = this.#clock.now();
    for (let wait = this.#waits.first; wait !== undefined; wait = this.#waits.first) {
      if (wait.since + this.#after > now) {
        this.#arm(wait);
        return;
      }
      this.#waits.delete(wait);
      if (wait.expired) wait.timer = scheduleSilence(this.#timers, wait.since + wait.limit, wait.expired);
      wait.silent();
    }
    this.#armed = false;
  }
}
