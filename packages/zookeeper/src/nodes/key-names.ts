import { LockError } from '@locks/core/adapter';
import type { Nodes } from './nodes.ts';
import { decodeKey } from './paths.ts';
import { overSeparateConnection } from '../servers/separate-connection.ts';
import type { SeparateParts } from '../servers/separate-connection.ts';

/** The node of a key. */
export interface KeyName {
  readonly name: string;
  readonly key: string;
}

/** The keys that have a node, used or not. */
export class KeyNames {
  readonly #nodes: Nodes;
  readonly #parts: SeparateParts;
  readonly #timeout: number;
  readonly #closed: AbortController = new AbortController();

  /** @param timeout Of one reading, in ms. */
  constructor(nodes: Nodes, parts: SeparateParts, timeout: number) {
    this.#nodes = nodes;
    this.#parts = parts;
    this.#timeout = timeout;
  }

  /** @throws `LOCK_UNAVAILABLE`, within the timeout. */
  async read(prefix: string): Promise<readonly KeyName[]> {
    const { runtime } = this.#parts;
    const over = new AbortController();
    const timer = runtime.setTimer(() => over.abort(new Error('it took too long')), this.#timeout, false);
    const signal = AbortSignal.any([over.signal, this.#closed.signal]);
    try {
      const names = await overSeparateConnection(this.#parts, signal, (sender) => this.#nodes.underRoot(sender));
      return names.flatMap((name) => {
        const key = decodeKey(name);
        return key?.startsWith(prefix) ? [{ name, key }] : [];
      });
    } finally {
      runtime.clearTimer(timer);
    }
  }

  /** Ends the readings under way. */
  close(): void {
    this.#closed.abort(new LockError('LOCK_CLOSED', 'the provider was closed'));
  }
}
