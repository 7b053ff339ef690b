import type { Runtime, TimerHandle } from './runtime.ts';

/** So many releases are under way at once at least. A larger number makes longer bursts after an outage. */
const atOnce = 16;
/** Where more wait, this part of them is: else a long outage would pile up claims without bound. */
const part = 1 / 20;
const firstPause = 50;
const longestPause = 1_000;

/**
 * The turns of the releases in the background: a bounded number is under way at once. A release that fails makes all others
 * wait, 50 ms at first and up to 1 s while nothing but failures follows: in an outage, the backend hears few of them.
 */
export class ReleaseTurns {
  readonly #runtime: Runtime;
  readonly #queue = new Set<() => void>();
  #underWay = 0;
  #failures = 0;
  #pause: TimerHandle | undefined = undefined;
  #stopped = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Resolves when the caller may send a release; `undefined` means at once. The caller then calls `end`. */
  begin(): Promise<void> | undefined {
    if (!this.#mayStart()) return new Promise((resolve) => this.#queue.add(resolve));
    this.#underWay += 1;
    return undefined;
  }

  end(answered: boolean): void {
    this.#underWay -= 1;
    if (answered) this.#failures = 0;
    else if (this.#pause === undefined && !this.#stopped) this.#startPause();
    this.#startNext();
  }

  /** Gives a turn to all who wait, and to all who come. */
  stop(): void {
    this.#stopped = true;
    if (this.#pause !== undefined) this.#runtime.clearTimer(this.#pause);
    this.#startNext();
  }

  #mayStart(): boolean {
    if (this.#stopped) return true;
    return this.#pause === undefined && this.#underWay < Math.max(atOnce, this.#queue.size * part);
  }

  #startNext(): void {
    for (const start of this.#queue) {
      if (!this.#mayStart()) return;
      this.#queue.delete(start);
      this.#underWay += 1;
      start();
    }
  }

  #startPause(): void {
    const delay = Math.min(firstPause * 2 ** this.#failures, longestPause);
    this.#failures += 1;
    this.#pause = this.#runtime.setTimer(
      () => {
        this.#pause = undefined;
        this.#startNext();
      },
      delay * (0.5 + this.#runtime.random() / 2),
      false,
    );
  }
}
