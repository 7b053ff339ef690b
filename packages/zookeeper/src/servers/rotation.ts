import type { Runtime } from '@locks/core/adapter';
import { SilentServerError } from '../connection/errors.ts';
import type { Address } from '../connection/address.ts';

const firstPause = 50;
const longestPause = 500;
/**
 * The least time for one server to answer a connect request, in ms. Creating a session is a write.
 */
const leastPatience = 500;
const mostPatience = 1_500;

/** Which server is tried next, how long it may take to answer, and when to pause. */
export class Rotation {
  readonly #addresses: readonly Address[];
  readonly #runtime: Runtime;
  #next: number;
  /** Since the last useful connection. */
  #failures = 0;
  /** How many of them were silent servers. */
  #silences = 0;

  constructor(addresses: readonly Address[], runtime: Runtime) {
    this.#addresses = addresses;
    this.#runtime = runtime;
    // Not all processes start with the first one.
    this.#next = Math.floor(runtime.random() * addresses.length);
  }

  next(): Address {
    const address = this.#addresses[this.#next % this.#addresses.length];
    if (address === undefined) throw new Error('There is no server to connect to.');
    this.#next = (this.#next + 1) % this.#addresses.length;
    return address;
  }

  /**
   * In ms: how long the next server may be silent. All servers together get a third of the
   * session's timeout, so that the session survives a silent one. Each round of silence adds time,
   * as all servers may be slow. `left`: the session ends after this many ms, and one more server
   * must have time before that.
   */
  patience(timeout: number, left: number = Infinity): number {
    const share = Math.min(Math.max(timeout / 3 / this.#addresses.length, leastPatience), mostPatience);
    const rounds = Math.floor(this.#silences / this.#addresses.length);
    return Math.min(share * (1 + rounds), Math.max(Math.min(timeout, left / 2), leastPatience));
  }

  /**
   * The pause before the next attempt in ms, half of it jitter. 0 while there are untried servers.
   */
  pause(): number {
    if (this.#failures === 0 || this.#failures % this.#addresses.length > 0) return 0;
    const rounds = Math.floor(this.#failures / this.#addresses.length);
    const whole = Math.min(firstPause * 2 ** Math.min(rounds - 1, 10), longestPause);
    return whole * (0.5 + this.#runtime.random() / 2);
  }

  /** An attempt has failed, or a connection has ended. */
  failed(error: unknown): void {
    this.#failures += 1;
    if (error instanceof SilentServerError) this.#silences += 1;
  }

  /** A connection was useful. Acceptance is not enough: a server may close each one immediately. */
  worked(): void {
    this.#failures = 0;
    this.#silences = 0;
  }
}
