import type { Address, Json } from '@locks/conformance/nemesis';
import { createLocks } from '@locks/core';
import type { LockProvider, Locks } from '@locks/core';

/** What a module gets that opens locks in a worker. */
export interface Given {
  readonly addresses: readonly Address[];
  readonly settings: { readonly [name: string]: Json };
  readonly args: Json;
}

/** Locks, and what closes them with all that was opened for them. */
export interface Opened {
  readonly locks: Locks;
  close(): Promise<void>;
}

/** Locks over a provider that has a client of the application. */
export function openedOver(provider: LockProvider, ttl: number, endClient: () => unknown): Opened {
  const locks = createLocks(provider, { ttl });
  return {
    locks,
    async close() {
      await locks.close();
      await provider.close();
      await endClient();
    },
  };
}

/** The address of a server, by its number. */
export function addressOf({ addresses }: Given, server = 0): Address {
  const address = addresses[server];
  if (address === undefined) throw new Error(`There is no server ${server}.`);
  return address;
}

const silent = (): void => {};

/** A client that emits errors, which end a process that has no listener. */
export function quiet<Client extends { on(event: 'error', listener: (error: Error) => void): unknown }>(
  client: Client,
): Client {
  client.on('error', silent);
  return client;
}
