import type { Address, OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { createLocks } from '@locks/core';
import type { LockProvider } from '@locks/core';

/** Locks over a provider with a client of the application. */
export function openedOver(provider: LockProvider, ttl: number, endClient: () => unknown): OpenedLocks {
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
export function addressOf({ addresses }: OpenArguments, server = 0): Address {
  const address = addresses[server];
  if (address === undefined) throw new Error(`There is no server ${server}.`);
  return address;
}

const silent = (): void => {};

/** A client that emits errors, which end a process without a listener. */
export function quiet<Client extends { on(event: 'error', listener: (error: Error) => void): unknown }>(
  client: Client,
): Client {
  client.on('error', silent);
  return client;
}
