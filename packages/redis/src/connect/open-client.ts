import { settledWithin } from '@locks/core/adapter';
import type { LockError, Runtime } from '@locks/core/adapter';
import { placeOf } from '../options/redis-url.ts';
import { noteLoss } from '../wire/client.ts';
import { toLockError } from '../wire/replies.ts';
import { askAtConnect, explainReplies } from './ask-at-connect.ts';
import { checked } from './checked-client.ts';
import { checkVersion } from './check-version.ts';
import { connectFirst } from './connect-first.ts';
import { credentialsOf } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { keepInStep } from './in-step.ts';
import { isOver } from './is-over.ts';
import { importLibrary } from './libraries.ts';
import type { Classes, LibraryName } from './libraries.ts';
import { openNodeRedis } from './open-node-redis.ts';
import type { OwnClient, OwnClusterClient } from './own-client.ts';
import { given, pauseAfter } from './target.ts';
import type { Opened, Target } from './target.ts';

/**
 * Opens an own client, of the library `wanted` or of an installed one.
 * @throws `LOCK_MISCONFIGURED` if another attempt would fail in the same way; else
 * `LOCK_UNAVAILABLE`.
 */
export async function openClient(target: Target, wanted: LibraryName | undefined, runtime: Runtime): Promise<Opened> {
  const library = await importLibrary(wanted, target.kind);
  const credentials = credentialsOf(target, runtime);
  if (library.name === 'redis') return await openNodeRedis(library, target, credentials, runtime);
  const open = target.kind === 'cluster' ? openCluster : openServer;
  return await open(library, target, credentials, runtime);
}

async function openServer(
  { Redis }: Classes,
  target: Target,
  credentials: Credentials,
  runtime: Runtime,
): Promise<Opened> {
  const lost = (error: Error): void => noteLoss(client, error);
  const options = {
    ...serverOptions(target, credentials),
    ...(target.kind === 'sentinel' ? sentinelOptions(target, credentials) : target.hosts.map(placeOf)[0]),
  };
  const client: OwnClient = keepInStep(
    new (checked(Redis, runtime))({ ...options, ...given({ db: target.db }), lazyConnect: true }),
  );
  leaveReplicas(client, lost);
  if (credentials.change) askAtConnect(client, credentials);
  client.on('error', lost);
  client.on('ready', () => {
    if (isOver(client.stream)) return;
    noteLoss(client, undefined);
    credentials.accepted();
  });
  const afterwards = async (one: OwnClient): Promise<void> => {
    // If it cannot select, the client continues in database 0, where a lock excludes nothing.
    if (target.db !== undefined) await one.select(target.db);
    await checkVersion(one);
  };
  await connectFirst({ client, target, credentials, afterwards, errors: 'error', runtime });
  return { client, close: () => client.disconnect() };
}

async function openCluster(
  { Cluster }: Classes,
  target: Target,
  credentials: Credentials,
  runtime: Runtime,
): Promise<Opened> {
  const client = new (checked(Cluster, runtime))([...target.hosts], clusterOptions(target, credentials));
  client.on('+node', keepInStep);
  // The node is dropped, and the slots are read again.
  client.on('+node', (node) => leaveReplicas(node, () => {}));
  if (credentials.change) {
    client.on('+node', (node) => askAtConnect(node, credentials));
    explainReplies(client, credentials);
  }
  // One node may fail while the others serve.
  client.on('node error', (error) => {
    if (client.status !== 'ready') noteLoss(client, credentials.explain(error));
  });
  client.on('ready', () => {
    noteLoss(client, undefined);
    credentials.accepted();
  });
  const afterwards = (one: OwnClusterClient): Promise<void> =>
    reachMasters(one, Math.min(1_000, target.connectTimeout / 2), runtime);
  await connectFirst({ client, target, credentials, afterwards, errors: 'node error', runtime });
  return { client, close: () => client.disconnect() };
}

/**
 * One master is enough: another may be down, until a replica follows it. After the first, the
 * others have `patience` ms.
 */
async function reachMasters(client: OwnClusterClient, patience: number, runtime: Runtime): Promise<void> {
  const failures: LockError[] = [];
  const checks = client.nodes('master').map(async (node) => {
    await node.ping();
    await checkVersion(node);
  });
  for (const check of checks) {
    check.catch((error: unknown) => failures.push(toLockError(error, { what: 'the connection' })));
  }
  await Promise.any(checks).catch(() => {});
  await settledWithin(runtime, patience, Promise.allSettled(checks));
  const final = failures.find(({ code }) => code === 'LOCK_MISCONFIGURED');
  const failure = final ?? (failures.length === checks.length ? failures[0] : undefined);
  if (failure !== undefined) throw failure;
}

function serverOptions(
  { connectionName, family, connectTimeout, timeout }: Target,
  { shown: { username, password, tls } }: Credentials,
): object {
  return {
    ...given({ username, password, connectionName, family, tls }),
    connectTimeout,
    // Core repeats unanswered calls. A client that does, too, would send a claim after it was given
    // up.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // A connection that has silently died is replaced, not waited for.
    socketTimeout: timeout,
    retryStrategy: pauseAfter,
    // A starting server estimates how long it will load, perhaps far too long, and the client
    // sleeps for that time.
    maxLoadingRetryTime: 200,
  };
}

/** The part of ioredis and iovalkey that decides whether an error ends the connection. */
interface Leaving {
  readonly stream?: unknown;
  readonly options: { reconnectOnError?: (error: Error) => boolean };
}

/**
 * Lets `client` leave a server that was a master and is a replica: its name leads to the new one.
 * Once for each connection, as the client adds a listener each time. `leaving` is called before.
 */
function leaveReplicas(client: object, leaving: (error: Error) => void): void {
  const own = client as Leaving;
  let left: unknown;
  own.options.reconnectOnError = (error) => {
    // Before Redis 7 a script's error has this in the middle.
    if (!/\bREADONLY\b/.test(error.message) || own.stream === left) return false;
    left = own.stream;
    leaving(error);
    return true;
  };
}

function sentinelOptions({ hosts, name, connectTimeout }: Target, { change, shown }: Credentials): object {
  const { sentinelUsername, sentinelPassword, tls } = shown;
  return {
    ...given({ name, sentinelUsername, sentinelPassword }),
    ...(tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    sentinels: [...hosts],
    role: 'master',
    // Silent Sentinels are skipped.
    sentinelCommandTimeout: Math.min(connectTimeout, 1_000),
    // It retries the Sentinels with the password of the first round.
    sentinelRetryStrategy: change ? () => null : pauseAfter,
    // It ends for good a client that is connecting when the Sentinels announce another master.
    // Isolated masters are left by `socketTimeout`, and former ones by their refusals.
    failoverDetector: false,
  };
}

function clusterOptions(target: Target, credentials: Credentials): object {
  // Nodes are dropped when they close, and discovered again: the client of a node does not
  // reconnect.
  const {
    retryStrategy: _retryStrategy,
    enableOfflineQueue,
    ...redisOptions
  } = serverOptions(target, credentials) as {
    readonly retryStrategy: unknown;
    readonly enableOfflineQueue: boolean;
  };
  return {
    redisOptions,
    enableOfflineQueue,
    clusterRetryStrategy: pauseAfter,
    // A command of a broken connection would be resent, after later ones.
    retryDelayOnFailover: 0,
    // Refusals while a slot moves, or has no master. Core repeats the call.
    maxRedirections: 6,
    retryDelayOnTryAgain: 50,
    retryDelayOnClusterDown: 50,
    slotsRefreshTimeout: Math.min(target.connectTimeout, 1_000),
    lazyConnect: true,
  };
}
