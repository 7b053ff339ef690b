import type { Members } from '../connection/members.ts';
import type { Keys } from './keys.ts';
import { read, readsOfAll } from './queue.ts';
import type { KeyQueue } from './queue.ts';

/** Work on a key in progress, and the read that follows it. */
interface KeyRead {
  readonly running: Promise<unknown>;
  next: Promise<KeyQueue> | undefined;
}

/**
 * Simultaneous claims of this process on one key would read the same. One of them tries, and the
 * others share a read that begins after it, and after each of their calls.
 */
export class KeyReads {
  readonly #members: Members;
  readonly #keys: Keys;
  readonly #reads = new Map<string, KeyRead>();

  constructor(members: Members, keys: Keys) {
    this.#members = members;
    this.#keys = keys;
  }

  /** Whether a claim of this process tries for `key`, or reads its queue. */
  isBusy(key: string): boolean {
    return this.#reads.has(key);
  }

  /** Runs `work` for `key`; others wait for it. */
  async lead<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = work();
    const known: KeyRead = { running, next: undefined };
    this.#reads.set(key, known);
    try {
      return await running;
    } finally {
      if (this.#reads.get(key) === known && known.next === undefined) this.#reads.delete(key);
    }
  }

  /** The queue of `key`, read after the work in progress. */
  async after(key: string): Promise<KeyQueue> {
    const known = this.#reads.get(key);
    const readNow = (): Promise<KeyQueue> =>
      this.lead(key, () => read(this.#members, this.#keys, readsOfAll(this.#keys, key)));
    if (known === undefined) return await readNow();
    return await (known.next ??= known.running.then(readNow, readNow));
  }
}
