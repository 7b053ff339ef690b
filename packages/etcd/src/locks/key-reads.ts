import { read } from './holds.ts';
import type { LockParts } from './holds.ts';
import { readsOfAll } from './queue.ts';
import type { KeyQueue } from './queue.ts';

/** What goes on for a key, and the read that follows it. */
interface KeyRead {
  readonly running: Promise<unknown>;
  next: Promise<KeyQueue> | undefined;
}

/**
 * Claims of this process that come for one key at once would read the same. One of them tries, and
 * the others read together, after it. The read begins after each of their calls.
 */
export class KeyReads {
  readonly #parts: Pick<LockParts, 'members' | 'keys'>;
  readonly #reads = new Map<string, KeyRead>();

  constructor(parts: Pick<LockParts, 'members' | 'keys'>) {
    this.#parts = parts;
  }

  /** Whether a claim of this process tries for `key`, or reads its queue. */
  isBusy(key: string): boolean {
    return this.#reads.has(key);
  }

  /** `work` for `key`, which others wait for. */
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

  /** The queue of `key`, read after what goes on for it now. */
  async after(key: string): Promise<KeyQueue> {
    const known = this.#reads.get(key);
    if (known === undefined) return await this.lead(key, () => this.#read(key));
    known.next ??= known.running.then(
      () => this.lead(key, () => this.#read(key)),
      () => this.lead(key, () => this.#read(key)),
    );
    return await known.next;
  }

  async #read(key: string): Promise<KeyQueue> {
    return await read(this.#parts, readsOfAll(this.#parts.keys, key));
  }
}
