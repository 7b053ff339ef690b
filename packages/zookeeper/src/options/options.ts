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
import type { Address, ConnectString } from '../connection/address.ts';
import type { Credentials } from '../connection/handshake.ts';
import type { NodeZookeeperClient } from '../clients/node-zookeeper-client/client.ts';
import { aclReader, authReader, clientReader, markersReader, nodePath } from './readers.ts';
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
  /**
   * `'host1:2181,host2:2181'`, with or without a chroot: `'host1:2181/app'`. Needed unless `client`
   * is given.
   */
  readonly servers?: string | undefined;
  /**
   * Makes a client of `node-zookeeper-client` that is not connected: `() => createClient(…)`. It
   * is called for each session, and the provider closes what it gives. Servers, chroot, session
   * timeout and credentials are the client's then. `acl` must be given. A client in place of the
   * function is never closed, and the provider ends with its session.
   */
  readonly client?: (() => NodeZookeeperClient) | NodeZookeeperClient | undefined;
}

/** How the options are checked. */
export const zookeeperReaders: OptionReaders<ZookeeperProviderOptions> = {
  servers: { ...matching(/^[^]+$/, "servers: 'host1:2181,host2:2181'"), secret: true },
  client: clientReader,
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
  /** Makes the clients of sessions, in place of `addresses`. */
  readonly client: (() => NodeZookeeperClient) | NodeZookeeperClient | undefined;
  /** None with a `client`. */
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
      'createZookeeperProvider takes options: pass { servers: "host1:2181,host2:2181" }, or { client: () => createClient(…) } for sessions over node-zookeeper-client',
    );
  }
  const read = readOptions(zookeeperReaders, options, zookeeperSource);
  const { addresses, chroot } = placeOf(read);
  const { root = '/locks', fair = true, recipe = 'mutex' } = read;
  if (!fair && recipe !== 'mutex') {
    throw misconfigured(
      '@locks/zookeeper',
      `option "recipe" is "${recipe}", which has a line; leave it out or set fair: true`,
    );
  }
  const { client } = read;
  const auth = credentialsOf(read);
  const tls = tlsOf(read.tls);
  return {
    client,
    addresses,
    root: root === '/' ? chroot || '/' : chroot + root,
    fair,
    recipe,
    sharedMarkers: read.sharedMarkers ?? [],
    knownPlaces: read.knownPlaces ?? true,
    timeout: read.timeout ?? 5_000,
    sessionTimeout: read.sessionTimeout ?? 20_000,
    auth,
    acl: aclFrom(read.acl, {
      byCredentials: auth.length > 0 || (client !== undefined && read.acl !== undefined),
      byTls: tls !== undefined,
    }),
    tls,
  };
}

/** What the caller's client decides. */
const ofTheClient = ['servers', 'tls', 'sessionTimeout', 'auth', 'username', 'password'] as const;

function placeOf(read: ReadOptions<ZookeeperProviderOptions>): ConnectString {
  const { client, servers } = read;
  if (client !== undefined) {
    const other = ofTheClient.find((name) => read[name] !== undefined);
    if (other === undefined) return { addresses: [], chroot: '' };
    throw misconfigured(
      '@locks/zookeeper',
      `option "${other}" is given beside "client": set it where the client is made, by createClient and addAuthInfo`,
    );
  }
  if (servers === undefined)
    throw misconfigured('@locks/zookeeper', 'option "servers" is missing: write \'host1:2181,host2:2181\'');
  return readConnectString(servers);
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
