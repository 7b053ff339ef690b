import { LockError } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Nodes } from './nodes.ts';
import { decodeKey } from './paths.ts';
import type { Transport } from '../servers/transport.ts';

/** The node of a key. */
export interface KeyName {
  readonly name: string;
  readonly key: string;
}

/** The keys that have a node, used or not. */
export class KeyNames {
  readonly #nodes: Nodes;
  readonly #transport: Pick<Transport, 'separately'>;
  readonly #runtime: Runtime;
  readonly #timeout: number;
  readonly #closed: AbortController = new AbortController();

  /** @param timeout Of one reading, in ms. */
  constructor(nodes: Nodes, transport: Pick<Transport, 'separately'>, runtime: Runtime, timeout: number) {
    this.#nodes = nodes;
    this.#transport = transport;
    this.#runtime = runtime;
    this.#timeout = timeout;
  }

  /** @throws `LOCK_UNAVAILABLE`, within the timeout. */
  async read(prefix: string): Promise<readonly KeyName[]> {
    const runtime = this.#runtime;
    const over = new AbortController();
    const timer = runtime.setTimer(() => over.abort(new Error('it took too long')), this.#timeout, false);
    const signal = AbortSignal.any([over.signal, this.#closed.signal]);
    try {
      const names = await this.#transport.separately(signal, (sender) => this.#nodes.underRoot(sender));
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
