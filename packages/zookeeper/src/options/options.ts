import type { ConnectionOptions } from 'node:tls';
import {
  duration,
  flag,
  matching,
  misconfigured,
  oneOf,
  readOptions,
  secretText,
  tlsOptions,
} from '@locks/core/adapter';
import type { Duration, OptionReaders, OptionSource, ReadOptions } from '@locks/core/adapter';
import { aclFrom } from './acl.ts';
import type { AclOption } from './acl.ts';
import { readConnectString } from '../connection/address.ts';
import type { Address } from '../connection/address.ts';
import type { Credentials } from '../connection/handshake.ts';
import { aclReader, authReader, markersReader, nodePath } from './readers.ts';
import type { ZookeeperAuth } from './readers.ts';
import type { Acl } from '../wire/records.ts';

/**
 * Curator shares the locks as `InterProcessMutex`, `InterProcessReadWriteLock` or
 * `InterProcessSemaphoreV2`.
 */
export type Recipe = 'mutex' | 'read-write' | 'semaphore';

/** Options of the ZooKeeper provider. */
export interface ZookeeperOptions {
  /**
   * The node above the nodes of all keys, below the chroot. It is made if it is missing. Missing
   * nodes above it are made only where `acl` is `open`.
   * @default '/locks'
   */
  readonly root?: string | undefined;
  /**
   * First come, first served. `false`: one plain node per key, for exclusive locks only.
   * @default true
   */
  readonly fair?: boolean | undefined;
  /**
   * The lock of Curator whose nodes a fair lock has.
   * @default 'mutex'
   */
  readonly recipe?: Recipe | undefined;
  /**
   * The names of other libraries' sharers have one of these before their number. Curator's and
   * kazoo's are known. All other contenders count as exclusive.
   * @default []
   */
  readonly sharedMarkers?: readonly string[] | undefined;
  /**
   * A claim right behind another one of this process knows its place without reading the line,
   * which saves a request. `false`: each claim reads the line. Only lines of `mutex` and
   * `read-write` do so.
   * @default true
   */
  readonly knownPlaces?: boolean | undefined;
  /** Each call settles within this time. @default 5_000 */
  readonly timeout?: Duration | undefined;
  /**
   * After this time of silence the servers remove the locks of this process. The servers may choose
   * another time, of 2 to 20 of their ticks.
   * @default 20_000
   */
  readonly sessionTimeout?: Duration | undefined;
  /** Credentials that are shown to the servers on each connection. */
  readonly auth?: ZookeeperAuth | readonly ZookeeperAuth[] | undefined;
  /** With `password`: credentials of the scheme `digest`. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /**
   * The clients that may use the nodes. It must be given where there are no credentials.
   * @default 'creator'
   */
  readonly acl?: AclOption | undefined;
  /**
   * TLS. `true` checks the servers' certificates by Node's defaults. An object has options of
   * `tls.connect` (`ca`, `cert`, …).
   * @default false
   */
  readonly tls?: boolean | object | undefined;
}

/** Options of `createZookeeperProvider`. */
export interface ZookeeperProviderOptions extends ZookeeperOptions {
  /** `'host1:2181,host2:2181'`, with or without a chroot: `'host1:2181/app'`. */
  readonly servers: string;
}

/** How the options are checked. */
export const zookeeperReaders: OptionReaders<ZookeeperProviderOptions> = {
  servers: { ...matching(/^[^]+$/, "servers: 'host1:2181,host2:2181'"), secret: true },
  root: nodePath,
  fair: flag,
  recipe: oneOf('mutex', 'read-write', 'semaphore'),
  sharedMarkers: markersReader,
  knownPlaces: flag,
  timeout: duration(10, 600_000),
  sessionTimeout: duration(50, 86_400_000),
  auth: authReader,
  username: matching(/^[^:]+$/, 'a string without ":"'),
  password: secretText,
  acl: aclReader,
  tls: tlsOptions,
};

/** Where the options of this package come from, for messages. */
export const zookeeperSource: OptionSource = { where: '@locks/zookeeper', code: 'LOCK_MISCONFIGURED', text: true };

/** The options with their defaults. */
export interface ReadZookeeperOptions {
  readonly addresses: readonly Address[];
  /** With the chroot before it. */
  readonly root: string;
  readonly fair: boolean;
  readonly recipe: Recipe;
  readonly sharedMarkers: readonly string[];
  readonly knownPlaces: boolean;
  readonly timeout: number;
  readonly sessionTimeout: number;
  readonly auth: readonly Credentials[];
  /** Of every node that is made. */
  readonly acl: readonly Acl[];
  /** Options of `tls.connect`; `undefined`: no TLS. */
  readonly tls: ConnectionOptions | undefined;
}

/**
 * Checks `options`. Throws `LOCK_MISCONFIGURED` with the option, its value and the expected value,
 * but never with credentials.
 */
export function readZookeeperOptions(options: ZookeeperProviderOptions): ReadZookeeperOptions {
  if (typeof (options as { readonly getChildren?: unknown } | null | undefined)?.getChildren === 'function') {
    throw misconfigured(
      '@locks/zookeeper',
      'createZookeeperProvider takes options and has a client of its own; pass { servers: "host1:2181,host2:2181" } in place of a client',
    );
  }
  const read = readOptions(zookeeperReaders, options, zookeeperSource);
  if (read.servers === undefined)
    throw misconfigured('@locks/zookeeper', 'option "servers" is missing: write \'host1:2181,host2:2181\'');
  const { addresses, chroot } = readConnectString(read.servers);
  const { root = '/locks', fair = true, recipe = 'mutex' } = read;
  if (!fair && recipe !== 'mutex') {
    throw misconfigured(
      '@locks/zookeeper',
      `option "recipe" is "${recipe}", which has a line; leave it out or set fair: true`,
    );
  }
  const auth = credentialsOf(read);
  const tls = tlsOf(read.tls);
  return {
    addresses,
    root: root === '/' ? chroot || '/' : chroot + root,
    fair,
    recipe,
    sharedMarkers: read.sharedMarkers ?? [],
    knownPlaces: read.knownPlaces ?? true,
    timeout: read.timeout ?? 5_000,
    sessionTimeout: read.sessionTimeout ?? 20_000,
    auth,
    acl: aclFrom(read.acl, { byCredentials: auth.length > 0, byTls: tls !== undefined }),
    tls,
  };
}

function credentialsOf({ auth = [], username, password }: ReadOptions<ZookeeperOptions>): readonly Credentials[] {
  if ((username === undefined) !== (password === undefined)) {
    throw misconfigured(
      '@locks/zookeeper',
      `option "${username === undefined ? 'username' : 'password'}" is missing: digest needs both`,
    );
  }
  const digest = username === undefined ? [] : [{ scheme: 'digest', credentials: `${username}:${password}` }];
  const given: readonly ZookeeperAuth[] = [...digest, ...('scheme' in auth ? [auth] : auth)];
  return given.map(({ scheme, credentials }) => ({ scheme, credentials: bytesOf(credentials) }));
}

function bytesOf(text: string | Uint8Array): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : Buffer.from(text);
}

function tlsOf(tls: boolean | object | undefined): ConnectionOptions | undefined {
  if (typeof tls === 'object') return { ...tls };
  return tls === true ? {} : undefined;
}
