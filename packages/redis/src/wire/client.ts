import { isLockError } from '@locks/core/adapter';

/**
 * The few methods used of a client of `ioredis` (5 or 6) or `iovalkey`, so that all versions fit.
 * No listener is added, no option changed, and it is never closed.
 */
export interface RedisClient extends ScriptClient {
  scan(
    cursor: string | number,
    match: 'MATCH',
    pattern: string,
    count: 'COUNT',
    number: number,
  ): Promise<[string, string[]]>;
  info(section: string): Promise<unknown>;
  duplicate(override: SubscriberOptions): RedisSubscriber;
  /** Its connection: another object after a reconnection. */
  readonly stream: unknown;
}

/** The members that clients of one server and of a Cluster share. */
export interface ScriptClient {
  evalsha(sha: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>;
  ping(): Promise<unknown>;
  readonly options?: {
    readonly keyPrefix?: string | undefined;
    readonly enableAutoPipelining?: boolean | undefined;
    readonly maxRetriesPerRequest?: number | null | undefined;
  };
  /** It sends no command twice. In ioredis this is option `maxRetriesPerRequest`. */
  readonly sendsOnce?: boolean;
  /** Its `string` calls a command without `enableAutoPipelining`. */
  createBuiltinCommand?(name: string): { readonly string: unknown };
  /** `ready` while it sends commands immediately. */
  readonly status: string;
}

/** The client of one node of a Cluster. */
export interface RedisNode extends RedisClient {
  readonly options?: ScriptClient['options'] & {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
  };
}

/** The few methods used of their `Cluster`. It is not changed. */
export interface RedisClusterClient extends ScriptClient {
  readonly isCluster: boolean;
  /** `host:port` of the master of each slot, and of its replicas. */
  readonly slots: readonly (readonly string[])[];
  nodes(role: 'all' | 'master'): RedisNode[];
}

/**
 * The connection that sends the next command; `undefined` while the client has none and keeps
 * commands.
 */
export function openConnection(client: Pick<ScriptClient, 'status'>): unknown {
  return client.status === 'ready' ? (client as Partial<RedisClient>).stream : undefined;
}

/**
 * Whether `error` means that a command was never sent: the client had no connection, and does not
 * keep commands. `false` if it was connected at the call, as some clients resend commands.
 */
export function neverSent(statusAtCall: string, error: unknown): boolean {
  if (statusAtCall === 'ready' || !(error instanceof Error)) return false;
  return notWriteable.test(error.message) || (error instanceof NoConnection && neverSent(statusAtCall, error.cause));
}

/**
 * Whether the server refused a script before it changed anything: it did not run the script, or
 * refused its first write. Redis refuses no later write of a script for these reasons.
 */
export function changedNothing(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && wholeRefusal.test(error.message);
}

// Before version 7, Redis precedes the refusal with words about the script.
const wholeRefusal =
  /^(?:ERR Error running script .* -)?(?:OOM|READONLY|MISCONF|NOREPLICAS|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN)\b/;
const notWriteable = /^(?:Stream isn't writeable|Cluster isn't ready|The client is (?:offline|closed))/;
const noConnection =
  /^(?:Stream isn't writeable|Cluster isn't ready|Reached the max retries per request limit|Connection is closed|The client is (?:offline|closed)|Socket closed unexpectedly|Disconnects client)/;

/**
 * A command failed for lack of a connection. It has the message and code of the connection's error,
 * if known.
 */
export class NoConnection extends Error {
  readonly code: string | undefined;
  /** The connection's error itself. */
  readonly reason: Error | undefined;
  /** Only the client reports it. It may be outdated, so it is no mistake of the caller. */
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
 * Why `client` has no connection, as far as its last socket shows. `undefined` while it has one, or
 * opens one.
 */
export function connectionError(client: Pick<ScriptClient, 'status'>): NodeJS.ErrnoException | undefined {
  if (client.status === 'ready') return undefined;
  // The client of a Cluster has none, and reports itself what it lacks.
  const { stream } = client as Partial<RedisClient>;
  const { errored } = (stream ?? {}) as { readonly errored?: unknown };
  return errored instanceof Error ? errored : undefined;
}

/** Why own clients lost their connections, until they have one again. */
const losses = new WeakMap<object, Error>();

/** Records why `client` has lost its connection, or got none. `undefined`: it has one again. */
export function noteLoss(client: object, error: Error | undefined): void {
  if (error === undefined) losses.delete(client);
  else losses.set(client, error);
}

/**
 * Why `client` has no connection, as far as recorded: a refused password, a server that is a
 * replica now. Its status may still be `ready` for a moment.
 */
export function lastLoss(client: object): NoConnection | undefined {
  const error = losses.get(client);
  return error && new NoConnection(error, error, true);
}

/** `error`, or its reason if the client only says that it has no connection. */
export function withConnectionError(client: Pick<ScriptClient, 'status'>, error: unknown): unknown {
  if (!(error instanceof Error) || !noConnection.test(error.message)) return error;
  const trouble = connectionError(client);
  return new NoConnection(trouble ?? lastLoss(client), error, trouble === undefined);
}

/** Options of the copy of the client that listens for wakes. */
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

/** Options of the copies: each is used until its connection ends. */
export const copyOptions: SubscriberOptions = {
  lazyConnect: true,
  autoResubscribe: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // With more, a dead connection ends later. Until the next copy is connected, all messages are
  // lost.
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
 * From now on the connection of `copy` does not keep the process running. The caller's client does,
 * until closed.
 */
export function unref(copy: RedisSubscriber): void {
  const { stream } = copy as { readonly stream?: { unref?(): void } };
  stream?.unref?.();
}

/** The copy of the client that option `minReplicas` writes over. */
export interface RedisCopy extends RedisSubscriber, Pick<ScriptClient, 'evalsha' | 'eval'> {
  wait(replicas: number, timeout: number): Promise<number>;
}
