import { createRequire } from 'node:module';
import { isNotInstalled, misconfigured } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import type { RedisKind } from '../options/redis-url.ts';
import type { NodeRedisCopy } from '../clients/node-redis/client.ts';
import type { OwnClient, OwnClusterClient } from './own-client.ts';

/** The libraries that open a URL: the first installed, or that of option `library`. */
export const libraries: readonly ['ioredis', 'iovalkey', 'redis'] = ['ioredis', 'iovalkey', 'redis'];

/** The package of a library. */
export type LibraryName = 'ioredis' | 'iovalkey' | 'redis';

/** The classes of `ioredis`, which `iovalkey` has, too. */
export interface Classes {
  readonly name: 'ioredis' | 'iovalkey';
  readonly Redis: new (options: object) => OwnClient;
  readonly Cluster: new (nodes: object[], options: object) => OwnClusterClient;
}

/** The part of `redis` (node-redis) that is used. */
export interface NodeRedis {
  readonly name: 'redis';
  readonly createClient: (options: object) => NodeRedisCopy;
}

/** A library that is installed. */
export type Library = Classes | NodeRedis;

/**
 * The library `wanted`, or the first installed one that supports this kind of connection.
 * @throws `LOCK_MISCONFIGURED` with what to install.
 */
export async function importLibrary(wanted: LibraryName | undefined, kind: RedisKind): Promise<Library> {
  for (const name of wanted === undefined ? libraries : [wanted]) {
    if (name === 'redis' && kind !== 'server') throw oneServerOnly(kind);
    const found = await importIfInstalled(name);
    if (found !== undefined) return libraryOf(name, found);
  }
  if (wanted !== undefined) {
    throw misconfigured(
      redisSource.where,
      `option "library" is "${wanted}", which is not installed. Run: npm install ${wanted}`,
    );
  }
  const names = 'ioredis (5 or 6), iovalkey (0.3 or 0.4) or redis (6.1)';
  throw misconfigured(redisSource.where, `it needs ${names}, and none is installed. Run: npm install ioredis`);
}

function oneServerOnly(kind: 'sentinel' | 'cluster'): LockError {
  const [servers, create] = kind === 'cluster' ? ['a Cluster', 'createCluster'] : ['Sentinels', 'createSentinel'];
  return misconfigured(
    redisSource.where,
    `a configuration with ${servers} needs ioredis or iovalkey. Run: npm install ioredis. Or give a connected client of redis: createLocks(createRedisProvider(client)), with client from ${create}`,
  );
}

async function importIfInstalled(name: LibraryName): Promise<object | undefined> {
  try {
    // A bundle contains this one. Importing the others as well would fail if they are missing.
    if (name === 'ioredis') return await import('ioredis');
    return createRequire(import.meta.url)(name) as object;
  } catch (error) {
    if (isNotInstalled(error, name)) return undefined;
    throw error;
  }
}

function libraryOf(name: LibraryName, found: object): Library {
  const { Redis, Cluster, createClient } = found as Partial<Classes & NodeRedis>;
  if (name === 'redis') {
    if (createClient !== undefined) return { name, createClient };
  } else if (Redis !== undefined && Cluster !== undefined) {
    return { name, Redis, Cluster };
  }
  throw misconfigured(
    redisSource.where,
    `the version of ${name} that is installed is too old. Run: npm install ${name}@latest`,
  );
}
