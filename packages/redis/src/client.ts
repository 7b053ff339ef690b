/**
 * The few methods of an `ioredis` client (5 or 6) that are used, so that both majors fit. Nothing
 * is registered on it, no option of it is changed, and it is never closed.
 */
export interface RedisClient {
  evalsha(sha: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...args: (string | number)[]): Promise<unknown>;
  scan(
    cursor: string | number,
    match: 'MATCH',
    pattern: string,
    count: 'COUNT',
    number: number,
  ): Promise<[string, string[]]>;
  ping(): Promise<unknown>;
  duplicate(override: SubscriberOptions): RedisSubscriber;
  readonly options?: { readonly keyPrefix?: string | undefined };
  /** `ready` while it sends commands at once. */
  readonly status: string;
  /** Its connection: another one after a reconnection. */
  readonly stream: unknown;
}

/**
 * The connection that sends the next command; `undefined` while the client has none and keeps
 * commands for later.
 */
export function openConnection({ status, stream }: RedisClient): unknown {
  return status === 'ready' ? stream : undefined;
}

/**
 * Whether `error` says that a command never left: the client had no connection, and no queue for
 * what waits for one. Unknown where it was connected at the call, because some clients send a
 * command again.
 */
export function neverSent(statusAtCall: RedisClient['status'], error: unknown): boolean {
  if (statusAtCall === 'ready' || !(error instanceof Error)) return false;
  return (
    error.message.startsWith(notWriteable) || (error instanceof NoConnection && neverSent(statusAtCall, error.cause))
  );
}

const notWriteable = "Stream isn't writeable";
const noConnection = /^(?:Stream isn't writeable|Reached the max retries per request limit|Connection is closed)/;

/**
 * A command failed for want of a connection. The message and the code are those of the connection's
 * error, where that is known.
 */
class NoConnection extends Error {
  readonly code: string | undefined;

  constructor(trouble: NodeJS.ErrnoException | undefined, cause: Error) {
    super(trouble?.message ?? 'its client has no connection', { cause });
    this.code = trouble?.code;
  }
}

/**
 * Why `client` has no connection, as far as its last socket tells. `undefined` while it has one, or
 * opens one.
 */
export function connectionError({ status, stream }: RedisClient): NodeJS.ErrnoException | undefined {
  if (status === 'ready') return undefined;
  const { errored } = (stream ?? {}) as { readonly errored?: unknown };
  return errored instanceof Error ? errored : undefined;
}

/**
 * `error`, or the reason of it where the client only says that it has no connection, and not why.
 */
export function withConnectionError(client: RedisClient, error: unknown): unknown {
  if (!(error instanceof Error) || !noConnection.test(error.message)) return error;
  return new NoConnection(connectionError(client), error);
}

/** What the copy of the client that listens for wakes is told. */
export interface SubscriberOptions {
  readonly lazyConnect: true;
  readonly autoResubscribe: false;
  readonly enableOfflineQueue: false;
  readonly maxRetriesPerRequest: 0;
  readonly disconnectTimeout: number;
  readonly maxLoadingRetryTime: number;
  readonly retryStrategy: () => null;
}

/** The copy of the client that listens for wakes. */
export interface RedisSubscriber {
  connect(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  ping(): Promise<unknown>;
  disconnect(): void;
  on(event: string, listener: (...args: never[]) => void): unknown;
}
