import { LockError } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Nodes } from './nodes.ts';
import { decodeKey } from './paths.ts';
import type { Transport } from '../servers/transport.ts';

export interface KeyName {
  readonly name: string;
  readonly key: string;
}

/** The keys with a node, used or not. */
export interface KeyNames {
  /** @throws `LOCK_UNAVAILABLE`, within the timeout. */
  read(prefix: string): Promise<readonly KeyName[]>;
  /** Ends the reads in progress. */
  close(): void;
}

/** @param timeout Of one read, in ms. */
export function createKeyNames(
  nodes: Nodes,
  transport: Pick<Transport, 'separately'>,
  runtime: Runtime,
  timeout: number,
): KeyNames {
  const closed = new AbortController();
  return {
    async read(prefix) {
      const over = new AbortController();
      const timer = runtime.setTimer(() => over.abort(new Error('it took too long')), timeout, false);
      const signal = AbortSignal.any([over.signal, closed.signal]);
      try {
        const names = await transport.separately(signal, (sender) => nodes.underRoot(sender));
        return names.flatMap((name) => {
          const key = decodeKey(name);
          return key?.startsWith(prefix) ? [{ name, key }] : [];
        });
      } finally {
        runtime.clearTimer(timer);
      }
    },
    close: () => closed.abort(new LockError('LOCK_CLOSED', 'the provider was closed')),
  };
}
