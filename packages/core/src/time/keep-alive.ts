import type { Runtime, TimerHandle } from './runtime.ts';

/**
 * How long an unneeded timer is kept for the next `begin`, in ms. It does not keep the process
 * alive.
 */
const lifetime = 60_000;

/** Keeps the process running between `begin` and `end`, also nested, until `stop`. */
export class KeepAlive {
  readonly #runtime: Runtime;
  #count = 0;
  #timer: TimerHandle | undefined = undefined;
  #stopped = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  begin(): void {
    this.#count += 1;
    if (this.#count > 1 || this.#stopped) return;
    // A timer per call would cost a fifth of an in-memory withLock.
    if (this.#timer === undefined) this.#start();
    else this.#runtime.keepAlive(this.#timer, true);
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0 && this.#timer !== undefined) this.#runtime.keepAlive(this.#timer, false);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #start(): void {
    const expire = (): void => {
      this.#timer = undefined;
      if (this.#count > 0) this.#start();
    };
    this.#timer = this.#runtime.setTimer(expire, lifetime, true);
  }
}
