import { LockError, misconfigured } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { RedisHost } from '../options/hosts.ts';
import { redisSource } from '../options/options.ts';
import type { RedisKind } from '../options/redis-url.ts';
import { noteLoss } from '../wire/client.ts';
import type { AnyRedisClient } from '../wire/servers.ts';
import { otherProtocol } from './other-protocol.ts';
import { checked, reachNodes } from './checked-client.ts';
import { connectFirst, importClasses } from './own-client.ts';
import type { OwnClient, OwnClusterClient } from './own-client.ts';

/** What a client of this package's own connects to, and how. */
export interface Place {
  readonly kind: RedisKind;
  readonly hosts: readonly RedisHost[];
  /** What the Sentinels call the master. */
  readonly name: string | undefined;
  readonly db: number | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
  /** Options of TLS, where it is used. */
  readonly tls: object | undefined;
  readonly connectionName: string | undefined;
  readonly connectTimeout: number;
  /** How long a call may take, in ms. */
  readonly timeout: number;
}

/** A client, and what ends it. */
export interface Opened {
  readonly client: AnyRedisClient;
  close(): void;
}

/**
 * Opens a client of this package's own.
 * @throws `LOCK_MISCONFIGURED` where another attempt would fail in the same way; else
 * `LOCK_UNAVAILABLE`.
 */
export async function openClient(place: Place, runtime: Runtime): Promise<Opened> {
  const classes = await importClasses();
  if (place.kind === 'cluster') {
    const client = new (checked(classes.Cluster, runtime))([...place.hosts], clusterOptions(place));
    // One node may fail while the others serve.
    client.on('node error', (error) => {
      if (client.status !== 'ready') noteLoss(client, error);
    });
    client.on('ready', () => noteLoss(client, undefined));
    await connectCluster(client, place, runtime);
    return { client, close: () => client.disconnect() };
  }
  const lost = (error: Error): void => noteLoss(client, error);
  const options = {
    ...serverOptions(place, lost),
    ...(place.kind === 'sentinel' ? sentinelOptions(place) : place.hosts[0]),
  };
  const client: OwnClient = new (checked(classes.Redis, runtime))({
    ...options,
    ...given({ db: place.db }),
    lazyConnect: true,
  });
  client.on('error', lost);
  client.on('ready', () => noteLoss(client, undefined));
  await connectServer(client, place, runtime);
  return { client, close: () => client.disconnect() };
}

const pauseAfter = (attempt: number): number => Math.min(attempt * 50, 1_000);

function serverOptions(
  { username, password, connectionName, connectTimeout, timeout, tls }: Place,
  lost: (error: Error) => void = () => {},
): object {
  return {
    ...given({ username, password, connectionName, tls }),
    connectTimeout,
    // Core repeats calls without an answer. A client that does it too would send a claim after it
    // was given up.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // A connection that has silently died is replaced, not waited for.
    socketTimeout: timeout,
    retryStrategy: pauseAfter,
    // The server was a master, and another one is it now: its name leads there. Before Redis 7 a
    // script says it in the middle of its error.
    reconnectOnError: (error: Error) => {
      const replaced = /\bREADONLY\b/.test(error.message);
      if (replaced) lost(error);
      return replaced;
    },
    // A server that has just started guesses how long it will load. The guess may be far too long,
    // and the client sleeps for that time.
    maxLoadingRetryTime: 200,
  };
}

function sentinelOptions(place: Place): object {
  const { hosts, name, sentinelUsername, sentinelPassword, tls, connectTimeout } = place;
  return {
    ...given({ name, sentinelUsername, sentinelPassword }),
    ...(tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    sentinels: [...hosts],
    role: 'master',
    // Sentinels that say nothing are passed over.
    sentinelCommandTimeout: Math.min(connectTimeout, 1_000),
    sentinelRetryStrategy: pauseAfter,
    // It ends a client for good that is connecting when the Sentinels tell of another master. A
    // master that is cut off is left by `socketTimeout`, and one that is none by its refusals.
    failoverDetector: false,
  };
}

function clusterOptions(place: Place): object {
  // Nodes are dropped when they close, and found again: the client of a node does not reconnect.
  const {
    retryStrategy: _retryStrategy,
    enableOfflineQueue,
    ...redisOptions
  } = serverOptions(place) as {
    readonly retryStrategy: unknown;
    readonly enableOfflineQueue: boolean;
  };
  return {
    redisOptions,
    enableOfflineQueue,
    clusterRetryStrategy: pauseAfter,
    // A command of a broken connection would be sent again, after others that were called later.
    retryDelayOnFailover: 0,
    // Refusals while a slot is moved, or has no master. Core repeats the call.
    maxRedirections: 6,
    retryDelayOnTryAgain: 50,
    retryDelayOnClusterDown: 50,
    slotsRefreshTimeout: Math.min(place.connectTimeout, 1_000),
    lazyConnect: true,
  };
}

async function connectServer(client: OwnClient, place: Place, runtime: Runtime): Promise<void> {
  const { db, connectTimeout: limit } = place;
  await connectFirst({
    client,
    db,
    // The client goes on in database 0 when it cannot select: a lock there would exclude nothing.
    ...(db === undefined ? {} : { afterwards: (one: OwnClient) => one.select(db) }),
    errors: 'error',
    limit,
    runtime,
    explain: (failure) => explain(failure, place),
  });
}

async function connectCluster(client: OwnClusterClient, place: Place, runtime: Runtime): Promise<void> {
  await connectFirst({
    client,
    db: undefined,
    afterwards: reachNodes,
    errors: 'node error',
    limit: place.connectTimeout,
    runtime,
    explain: (failure) => explain(failure, place),
  });
}

/** A better error for a first connection that failed, where there is one. */
async function explain(failure: LockError, { kind, hosts, tls, name }: Place): Promise<LockError | undefined> {
  const [server] = hosts;
  const suffix = kind === 'server' ? '' : (`+${kind}` as const);
  const found = server === undefined ? undefined : await otherProtocol({ ...server, tls, suffix }, failure);
  if (found === undefined && /ERR No such master with that name/.test(failure.message)) {
    const why = `the Sentinels know no master "${name}"; check the name in the URL, or option "sentinelName"`;
    return misconfigured(redisSource.where, why, { cause: failure.cause });
  }
  if (found !== undefined || kind === 'server' || failure.code !== 'LOCK_UNAVAILABLE') return found;
  // The client says that a connection was closed, and not whose.
  const names = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  return new LockError('LOCK_UNAVAILABLE', `${failure.message} None of ${names} could be used.`, {
    cause: failure.cause,
  });
}

/** Without options that are `undefined`, which the client would take for values. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
