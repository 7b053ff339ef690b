import {
  duration,
  flag,
  matching,
  misconfigured,
  oneOf,
  orFunction,
  readOptions,
  secretOf,
  tlsOptions,
} from '@locks/core/adapter';
import type { Duration, OptionReaders, OptionSource, ReadOptions, Runtime } from '@locks/core/adapter';
import { aclFrom } from './acl.ts';
import type { AclOption } from './acl.ts';
import { readConnectString } from '../connection/address.ts';
import type { Address, ConnectString } from '../connection/address.ts';
import type { NodeZookeeperClient } from '../clients/node-zookeeper-client/client.ts';
import { aclReader, authReader, clientReader, markersReader, nodePath } from './readers.ts';
import { askSecrets, changes, knownSecrets, userReader } from './secrets.ts';
import type { SecretOptions, Secrets } from './secrets.ts';
import type { Acl } from '../wire/records.ts';

/**
 * Curator shares the locks as `InterProcessMutex`, `InterProcessReadWriteLock` or
 * `InterProcessSemaphoreV2`.
 */
export type Recipe = 'mutex' | 'read-write' | 'semaphore';

/**
 * Options of the ZooKeeper provider. A function is called for each connection, and must return
 * within half of `timeout`.
 */
export interface ZookeeperOptions extends SecretOptions {
  /**
   * The parent of all key nodes, below the chroot. It is created if missing. Missing nodes above it
   * are created only if `acl` is `open`.
   * @default '/locks'
   */
  readonly root?: string | undefined;
  /**
   * The Curator lock whose node layout a lock uses.
   * @default 'mutex'
   */
  readonly recipe?: Recipe | undefined;
  /**
   * In node names of other libraries, one of these before the number marks a shared claim.
   * Curator's and kazoo's are built in. All other contenders count as exclusive.
   * @default []
   */
  readonly sharedMarkers?: readonly string[] | undefined;
  /**
   * A claim right after another one of this process knows its position without reading the queue,
   * which saves a request. `false`: each claim reads the queue. Used only by `mutex` and
   * `read-write`.
   * @default true
   */
  readonly knownPlaces?: boolean | undefined;
  /** Each call settles within this time. @default 5_000 ms */
  readonly timeout?: Duration | undefined;
  /**
   * After this time of silence the servers remove the locks of this process. The servers may choose
   * another time, of 2 to 20 of their ticks.
   * @default 20_000 ms
   */
  readonly sessionTimeout?: Duration | undefined;
  /**
   * The clients that may use the nodes. Required without credentials.
   * @default 'creator'
   */
  readonly acl?: AclOption | undefined;
}

/** Options of `createZookeeperProvider`. */
export interface ZookeeperProviderOptions extends ZookeeperOptions {
  /**
   * `'host1:2181,host2:2181'`, with or without a chroot: `'host1:2181/app'`. Required unless
   * `client` is set.
   * @default none
   */
  readonly servers?: string | undefined;
  /**
   * Creates a client of `node-zookeeper-client` that is not connected: `() => createClient(…)`. It
   * is called for each session, and the provider closes the client. Servers, chroot, session
   * timeout and credentials are then the client's. `acl` is required. A client instead of a
   * function is never closed, and the provider ends with its session.
   * @default none: sockets of this package
   */
  readonly client?: (() => NodeZookeeperClient) | NodeZookeeperClient | undefined;
}

/** How the options are checked. */
export const zookeeperReaders: OptionReaders<ZookeeperProviderOptions> = {
  servers: { ...matching(/^[^]+$/, "servers: 'host1:2181,host2:2181'"), secret: true },
  client: clientReader,
  root: nodePath,
  recipe: oneOf('mutex', 'read-write', 'semaphore'),
  sharedMarkers: markersReader,
  knownPlaces: flag,
  timeout: duration(10, 600_000),
  sessionTimeout: duration(50, 86_400_000),
  auth: orFunction(authReader),
  username: orFunction(userReader),
  password: secretOf,
  acl: aclReader,
  tls: orFunction(tlsOptions),
};

/** Where the options of this package come from, for messages. */
export const zookeeperSource: OptionSource = { where: '@locks/zookeeper', code: 'LOCK_MISCONFIGURED', text: true };

/** The options with their defaults. */
export interface ReadZookeeperOptions extends Secrets {
  /** Creates the clients of sessions, instead of `addresses`. */
  readonly client: (() => NodeZookeeperClient) | NodeZookeeperClient | undefined;
  /** None with a `client`. */
  readonly addresses: readonly Address[];
  /** With the chroot before it. */
  readonly root: string;
  readonly recipe: Recipe;
  readonly sharedMarkers: readonly string[];
  readonly knownPlaces: boolean;
  readonly timeout: number;
  readonly sessionTimeout: number;
  /** For every created node. */
  readonly acl: readonly Acl[];
  /** The credentials of the next connection, if they may change. */
  readonly ask: ((runtime: Runtime) => Promise<Secrets>) | undefined;
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
  const { root = '/locks', recipe = 'mutex' } = read;
  const { client, timeout = 5_000 } = read;
  const { auth, tls } = knownSecrets(read);
  const byCredentials = auth.length > 0 || read.auth !== undefined || read.username !== undefined;
  return {
    client,
    addresses,
    root: root === '/' ? chroot || '/' : chroot + root,
    recipe,
    sharedMarkers: read.sharedMarkers ?? [],
    knownPlaces: read.knownPlaces ?? true,
    timeout,
    sessionTimeout: read.sessionTimeout ?? 20_000,
    auth,
    acl: aclFrom(read.acl, {
      byCredentials: byCredentials || (client !== undefined && read.acl !== undefined),
      byTls: tls !== undefined || typeof read.tls === 'function',
    }),
    tls,
    ask: changes(read) ? (runtime) => askSecrets(read, runtime, timeout / 2) : undefined,
  };
}

/** The options that the caller's client determines. */
const ofTheClient = ['servers', 'tls', 'sessionTimeout', 'auth', 'username', 'password'] as const;

function placeOf(read: ReadOptions<ZookeeperProviderOptions>): ConnectString {
  const { client, servers } = read;
  if (client !== undefined) {
    const other = ofTheClient.find((name) => read[name] !== undefined);
    if (other === undefined) return { addresses: [], chroot: '' };
    throw misconfigured(
      '@locks/zookeeper',
      `option "${other}" cannot be combined with "client": set it on the client, by createClient and addAuthInfo`,
    );
  }
  if (servers === undefined)
    throw misconfigured('@locks/zookeeper', 'option "servers" is missing: write \'host1:2181,host2:2181\'');
  return readConnectString(servers);
}
