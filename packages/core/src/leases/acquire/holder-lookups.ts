import type { Holder, LockProvider } from '../../contract.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { Runtime } from '../../time/runtime.ts';

/**
 * A timeout waits no longer for the holders' names, in ms. An answer also serves other waiters for
 * as long. With more, a silent backend delays a timeout further.
 */
const patience = 100;

/**
 * So many keys are looked up within that time. With more, many timeouts at once load the backend.
 */
const mostKeys = 10;

interface Lookup {
  readonly at: number;
  readonly holders: Promise<readonly Holder[]>;
}

/**
 * Finds the holders of a key, for messages. A thousand waiters that time out at once ask once per
 * key.
 */
export class HolderLookups {
  readonly #provider: LockProvider;
  readonly #runtime: Runtime;
  /** By key, the oldest first. */
  readonly #recent = new Map<string, Lookup>();

  constructor(provider: LockProvider, runtime: Runtime) {
    this.#provider = provider;
    this.#runtime = runtime;
  }

  /** The holders of `key`; none where they are not known soon. Never rejects. */
  find(key: string): Promise<readonly Holder[]> {
    const now = this.#runtime.clock.now();
    for (const [old, { at }] of this.#recent) {
      if (now - at < patience) break;
      this.#recent.delete(old);
    }
    const known = this.#recent.get(key);
    if (known !== undefined) return known.holders;
    if (this.#recent.size >= mostKeys) return Promise.resolve([]);
    const holders = outsideContext(() => this.#ask(key));
    this.#recent.set(key, { at: now, holders });
    return holders;
  }

  #ask(key: string): Promise<readonly Holder[]> {
    return new Promise((resolve) => {
      const settle = (holders: readonly Holder[]): void => {
        this.#runtime.clearTimer(timer);
        resolve(holders);
      };
      const timer = this.#runtime.setTimer(() => resolve([]), patience, true);
      this.#inspect(key).then(settle, () => settle([]));
    });
  }

  async #inspect(key: string): Promise<readonly Holder[]> {
    const { holders } = await this.#provider.inspect(key);
    return holders.filter(({ owner }) => typeof owner === 'string');
  }
}
