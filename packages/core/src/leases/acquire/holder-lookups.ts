import type { Holder, LockProvider } from '../../contract.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { Runtime } from '../../time/runtime.ts';

/**
 * How long a timeout waits for the holders' names, in ms. With less, a far store seems silent. With
 * more, a silent one delays a timeout further.
 */
const patience = 300;

/** How long an answer is shared with other waiters, in ms. */
const fresh = 100;

/**
 * The most keys looked up within that time. With more, many simultaneous timeouts load the backend.
 */
const mostKeys = 10;

/** What the store reports of a key. */
export interface Looked {
  readonly holders: readonly Holder[];
  /** No answer, and the reason, if known. */
  readonly silent?: { readonly cause: unknown };
}

interface Lookup {
  readonly at: number;
  readonly looked: Promise<Looked>;
}

/**
 * Finds the holders of a key, for messages. A thousand simultaneous timeouts make one request per
 * key.
 */
export class HolderLookups {
  readonly #provider: LockProvider;
  readonly #runtime: Runtime;
  /** By key, oldest first. */
  readonly #recent = new Map<string, Lookup>();

  constructor(provider: LockProvider, runtime: Runtime) {
    this.#provider = provider;
    this.#runtime = runtime;
  }

  /** The holders of `key`; empty where they are not known soon. Never rejects. */
  async find(key: string): Promise<Looked> {
    const now = this.#runtime.clock.now();
    for (const [old, { at }] of this.#recent) {
      if (now - at < fresh) break;
      this.#recent.delete(old);
    }
    const known = this.#recent.get(key);
    if (known !== undefined) return await known.looked;
    const [oldest] = this.#recent.values();
    if (oldest !== undefined && this.#recent.size >= mostKeys) return { ...(await oldest.looked), holders: [] };
    const looked = outsideContext(() => this.#ask(key));
    this.#recent.set(key, { at: now, looked });
    return await looked;
  }

  #ask(key: string): Promise<Looked> {
    return new Promise((resolve) => {
      const settle = (looked: Looked): void => {
        this.#runtime.clearTimer(timer);
        resolve(looked);
      };
      const silent = (cause?: unknown): void => settle({ holders: [], silent: { cause } });
      const timer = this.#runtime.setTimer(silent, patience, true);
      this.#provider.inspect(key).then((state) => settle({ holders: namedIn(state) }), silent);
    });
  }
}

function namedIn(state: unknown): readonly Holder[] {
  const { holders } = (state ?? {}) as { readonly holders?: unknown };
  const all: readonly Partial<Holder>[] = Array.isArray(holders) ? (holders as readonly Holder[]) : [];
  return all.filter((holder): holder is Holder => typeof holder.owner === 'string');
}
