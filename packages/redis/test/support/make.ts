import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { closing } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { createRedisProvider, fromConfig } from '../../src/index.ts';
import type { LibraryName, RedisOptions } from '../../src/index.ts';

/** Makes the provider on the server at `address`. */
export type Make = (address: string, options: RedisOptions) => LockProvider | Promise<LockProvider>;

/** With a client of the caller, which closes it. */
export function over(open: (address: string) => Redis): Make {
  return (address, options) => {
    const client = open(address);
    // What becomes of its connections is the subject of the tests.
    client.on('error', () => {});
    return closing(createRedisProvider(client, options), () => client.disconnect());
  };
}

/** With a client of `library` that comes from configuration. */
export function configuredWith(library?: LibraryName): Make {
  return (address, options) => fromConfig({ url: address, options: { ...options, library }, runtime: systemRuntime });
}
