import { outsideContext } from '@locks/core/adapter';

/** Serializes the calls of one claim. */
export class SerialCalls {
  #last: Promise<unknown> | undefined = undefined;

  /** No call is under way. */
  get free(): boolean {
    return this.#last === undefined;
  }

  /** Runs `work` once the calls before it are over, and `after` when it is over, too. */
  async run<T>(work: () => Promise<T>, after: () => void): Promise<T> {
    while (this.#last !== undefined) await this.#last.catch(() => {});
    const call = work();
    this.#last = call;
    try {
      return await call;
    } finally {
      this.#last = undefined;
      after();
    }
  }
}

/**
 * Runs `work` outside of the caller's asynchronous context. Calls during a run cause one more run.
 * Resolves when no run is left.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let again = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (again) {
      again = false;
      await work();
    }
  };
  return () => {
    again = true;
    return (running ??= outsideContext(run).finally(() => (running = undefined)));
  };
}
