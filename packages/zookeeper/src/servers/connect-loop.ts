import { outsideContext, pause } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Rotation } from './rotation.ts';

export interface ConnectLoopParts {
  readonly runtime: Runtime;
  readonly rotation: Rotation;
  /** Whether a connection is needed. */
  wanted(): boolean;
  /** One attempt, abandoned when `signal` is aborted. */
  attempt(signal: AbortSignal): Promise<void>;
  failed(error: unknown, aborted: boolean): void;
}

/** Tries to connect, one server after another with pauses, as long as needed. */
export class ConnectLoop {
  readonly #parts: ConnectLoopParts;
  readonly #closing: AbortController = new AbortController();
  #attempt: AbortController = new AbortController();
  #work: Promise<void> | undefined;

  constructor(parts: ConnectLoopParts) {
    this.#parts = parts;
  }

  get running(): boolean {
    return this.#work !== undefined;
  }

  /** Starts the loop, if a connection is needed and it is not running. */
  start(): void {
    if (this.#work === undefined && this.#wanted) this.#work = outsideContext(() => this.#run());
  }

  /** Abandons the present attempt. */
  abort(): void {
    this.#attempt.abort();
  }

  /** Ends the loop. Resolves when no attempt is left. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#attempt.abort();
    await this.#work;
  }

  get #wanted(): boolean {
    return !this.#closing.signal.aborted && this.#parts.wanted();
  }

  async #run(): Promise<void> {
    const { runtime, rotation, attempt, failed } = this.#parts;
    while (this.#wanted) {
      const rest = rotation.pause();
      if (rest > 0) await pause(runtime, rest, { signal: this.#closing.signal, keepAlive: false });
      if (!this.#wanted) break;
      this.#attempt = new AbortController();
      const { signal } = this.#attempt;
      try {
        await attempt(signal);
      } catch (error) {
        failed(error, signal.aborted);
      }
    }
    this.#work = undefined;
  }
}
