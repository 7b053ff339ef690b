import type { Runtime } from '../../time/runtime.ts';

/** A pause that can end early. */
export class Pause {
  readonly #runtime: Runtime;
  #end: (() => void) | undefined = undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Ends a pause that is under way, in the next tick. */
  end(): void {
    if (this.#end !== undefined) process.nextTick(this.#end);
  }

  /** Resolves in so many ms, or when `end` is called. */
  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#runtime.setTimer(resolve, ms, true);
      this.#end = () => {
        this.#runtime.clearTimer(timer);
        resolve();
      };
    });
    this.#end = undefined;
  }
}
