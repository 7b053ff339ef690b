import type { Runtime, TimerHandle } from '@locks/core/adapter';

/**
 * In ms: an unused stream is ended then, as an open one keeps the process running. Opening one
 * costs as much as a call.
 */
const idleFor = 1_000;

/** Ends a stream that is idle. */
export class IdleEnd {
  readonly #runtime: Runtime;
  readonly #end: () => void;
  #timer: TimerHandle | undefined = undefined;

  constructor(runtime: Runtime, end: () => void) {
    this.#runtime = runtime;
    this.#end = end;
  }

  /** The stream is unused from now on. */
  begin(): void {
    this.stop();
    this.#timer = this.#runtime.setTimer(this.#end, idleFor, false);
  }

  /** It is used again, or has ended. */
  stop(): void {
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }
}
