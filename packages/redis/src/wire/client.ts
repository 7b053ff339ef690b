import { isLockError } from '@locks/core/adapter';

/**
 * The few methods of a client of `ioredis` (5 or 6) or `iovalkey` that are used, so that all of
 * them fit. Nothing is registered on it, no option of it is changed, and it is never closed.
 */
export interface RedisClient extends ScriptClient {
  scan(
    cursor: string | number,
    match: 'MATCH',
    pattern: string,
    count: 'COUNT',
    number: number,
  ): Promise<[string, string[]]>;
  duplicate(override: SubscriberOptions): RedisSubscriber;
  /** Its connection: another one after a reconnection. */
  readonly stream: unknown;
}

/** What clients of one server and of a Cluster have in common. */
export interface ScriptClient {
  evalsha(sha: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>;
  ping(): Promise<unknown>;
  readonly options?: {
    readonly keyPrefix?: string | undefined;
    readonly enableAutoPipelining?: boolean | undefined;
    readonly maxRetriesPerRequest?: number | null | undefined;
  };
  /** It sends no command twice. An ioredis says so by its option `maxRetriesPerRequest`. */
  readonly sendsOnce?: boolean;
  /** Its `string` calls a command that takes no part in `enableAutoPipelining`. */
  createBuiltinCommand?(name: string): { readonly string: unknown };
  /** `ready` while it sends commands at once. */
  readonly status: string;
}

/** The client of one node, among those of a Cluster. */
export interface RedisNode extends RedisClient {
  readonly options?: ScriptClient['options'] & {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
  };
  info(section: string): Promise<unknown>;
}

/** The few methods of their `Cluster` that are used. It stays as it is, too. */
export interface RedisClusterClient extends ScriptClient {
  readonly isCluster: boolean;
  /** `host:port` of the master of each slot, and of its replicas. */
  readonly slots: readonly (readonly string[])[];
  nodes(role: 'all' | 'master'): RedisNode[];
}

/**
 * The connection that sends the next command; `undefined` while the client has none and keeps
 * commands for later.
 */
export function openConnection(client: Pick<ScriptClient, 'status'>): unknown {
  return client.status === 'ready' ? (client as Partial<RedisClient>).stream : undefined;
}

/**
 * Whether `error` says that a command never left: the client had no connection, and keeps no
 * commands for the next one. `false` where it was connected at the call, because some clients send
 * a command again.
 */
export function neverSent(statusAtCall: string, error: unknown): boolean {
  if (statusAtCall === 'ready' || !(error instanceof Error)) return false;
  return notWriteable.test(error.message) || (error instanceof NoConnection && neverSent(statusAtCall, error.cause));
}

/**
 * Whether the server refused a script before it changed anything. It did not run the script, or
 * refused its first write: Redis refuses no later write of a script for these reasons.
 */
export function changedNothing(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && wholeRefusal.test(error.message);
}

// Before version 7, Redis puts its own words about the script before those of the refusal.
const wholeRefusal =
  /^(?:ERR Error running script .* -)?(?:OOM|READONLY|MISCONF|NOREPLICAS|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)\b/;
const notWriteable = /^(?:Stream isn't writeable|Cluster isn't ready|The client is (?:offline|closed))/;
const noConnection =
  /^(?:Stream isn't writeable|Cluster isn't ready|Reached the max retries per request limit|Connection is closed|The client is (?:offline|closed)|Socket closed unexpectedly|Disconnects client)/;

/**
 * A command failed for want of a connection. The message and the code are those of the connection's
 * error, where that is known.
 */
export class NoConnection extends Error {
  readonly code: string | undefined;
  /** The connection's error itself. */
  readonly reason: Error | undefined;
  /** Only the client tells of it. It may be mended by now, so it is no mistake of the caller. */
  readonly told: boolean;

  constructor(trouble: NodeJS.ErrnoException | undefined, cause: Error, told = false) {
    super(trouble?.message ?? 'its client has no connection', { cause });
    this.reason = trouble instanceof NoConnection ? trouble.reason : trouble;
    // With the code of a `LockError` it would be taken for one.
    this.code = isLockError(this.reason) ? undefined : trouble?.code;
    this.told = told;
  }
}

/**
 * Why `client` has no connection, as far as its last socket tells. `undefined` while it has one, or
 * opens one.
 */
export function connectionError(client: Pick<ScriptClient, 'status'>): NodeJS.ErrnoException | undefined {
  if (client.status === 'ready') return undefined;
  // The client of a Cluster has none, and says itself what it lacks.
  const { stream } = client as Partial<RedisClient>;
  const { errored } = (stream ?? {}) as { readonly errored?: unknown };
  return errored instanceof Error ? errored : undefined;
}

/** Why clients of this package's own lost their connections, until they have one again. */
const losses = new WeakMap<object, Error>();

/** Keeps why `client` loses its connection, or gets none. `undefined`: it has one again. */
export function noteLoss(client: object, error: Error | undefined): void {
  if (error === undefined) losses.delete(client);
  else losses.set(client, error);
}

/**
 * Why `client` has no connection, as far as it has told: a refused password, a server that is a
 * replica now. It may say `ready` for a moment still.
 */
export function lastLoss(client: object): NoConnection | undefined {
  const error = losses.get(client);
  return error && new NoConnection(error, error, true);
}

/**
 * `error`, or the reason of it where the client only says that it has no connection, and not why.
 */
export function withConnectionError(client: Pick<ScriptClient, 'status'>, error: unknown): unknown {
  if (!(error instanceof Error) || !noConnection.test(error.message)) return error;
  const trouble = connectionError(client);
  return new NoConnection(trouble ?? lastLoss(client), error, trouble === undefined);
}

/** What the copy of the client that listens for wakes is told. */
export interface SubscriberOptions {
  readonly lazyConnect: true;
  readonly autoResubscribe: false;
  readonly enableOfflineQueue: false;
  readonly maxRetriesPerRequest: 0;
  readonly disconnectTimeout: number;
  readonly maxLoadingRetryTime: number;
  readonly enableAutoPipelining: false;
  readonly retryStrategy: () => null;
  readonly keyPrefix?: string;
}

/** Options of the copies: each serves until its connection ends. */
export const copyOptions: SubscriberOptions = {
  lazyConnect: true,
  autoResubscribe: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // With more, the end of a dead connection takes longer. Until the next copy is there, all
  // messages are lost.
  disconnectTimeout: 100,
  maxLoadingRetryTime: 200,
  enableAutoPipelining: false,
  retryStrategy: () => null,
};

/** The copy of the client that listens for wakes. */
export interface RedisSubscriber {
  connect(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  ping(): Promise<unknown>;
  disconnect(): void;
  on(event: string, listener: (...args: never[]) => void): unknown;
}

/**
 * From now on the connection of `copy` keeps no process running. The caller's client does, until
 * it is closed.
 */
export function unref(copy: RedisSubscriber): void {
  const { stream } = copy as { readonly stream?: { unref?(): void } };
  stream?.unref?.();
}

/** The copy of the client that option `minReplicas` writes over. */
export interface RedisCopy extends RedisSubscriber, Pick<ScriptClient, 'evalsha' | 'eval'> {
  wait(replicas: number, timeout: number): Promise<number>;
}
