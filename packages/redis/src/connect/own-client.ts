import { createDeadline, misconfigured } from '@locks/core/adapter';
import type { LockError, Runtime } from '@locks/core/adapter';
import type { RedisClient, RedisClusterClient } from '../wire/client.ts';
import { redisSource } from '../options/options.ts';
import { toLockError } from '../wire/replies.ts';
import { isOver } from './is-over.ts';

/**
 * A client of this package's own: `connect`, `disconnect` and events on top of what the provider
 * uses.
 */
export interface OwnClient extends RedisClient, Connecting {
  select(db: number): Promise<unknown>;
  info(section: string): Promise<unknown>;
}

/** The same of a Cluster. */
export interface OwnClusterClient extends RedisClusterClient, Connecting {}

/** What clients of one server and of a Cluster have in common. */
export interface Connecting {
  connect(): Promise<unknown>;
  disconnect(): void;
  on(event: string, listener: (error: Error) => void): unknown;
  once(event: 'ready', listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** How a client connects for the first time. */
export interface FirstConnection<Client extends Connecting> {
  readonly client: Client;
  readonly db: number | undefined;
  /** What else must be done within the same time. */
  readonly afterwards?: (client: Client) => Promise<unknown>;
  /** The event by which the client says what fails behind it. */
  readonly errors: 'error' | 'node error';
  readonly limit: number;
  readonly runtime: Runtime;
  /** A better error, where one can be found. */
  readonly explain?: (failure: LockError) => Promise<LockError | undefined>;
}

/**
 * Connects `client` within `limit` ms.
 * @throws `LOCK_MISCONFIGURED` where another attempt would fail in the same way; else
 * `LOCK_UNAVAILABLE`.
 */
export async function connectFirst<Client extends Connecting>({
  client,
  db,
  afterwards,
  errors,
  limit,
  runtime,
  explain,
}: FirstConnection<Client>): Promise<void> {
  let last: unknown;
  client.on('error', (error) => (last ??= error));
  client.on(errors, (error) => (last = error));
  const deadline = createDeadline(runtime, limit, 'Redis');
  try {
    await deadline.race(connected(client), 'the connection');
    if (isOver((client as Partial<OwnClient>).stream)) throw new Error('Connection is closed.');
    if (afterwards !== undefined) await deadline.race(afterwards(client), 'the connection');
  } catch (error) {
    client.disconnect();
    const text = error instanceof Error ? error.message : '';
    if (/DB index|SELECT is not allowed/.test(text)) {
      throw misconfigured(redisSource.where, `option "db" is ${db}, and Redis answers: ${text}`);
    }
    const failure = toLockError(last ?? error, { what: 'the connection' });
    throw (await explain?.(failure)) ?? failure;
  } finally {
    deadline.stop();
  }
}

/**
 * Resolves when `client` is ready. `connect` of a Cluster does not settle where the first node says
 * that the Cluster is down, and the client becomes ready later.
 */
async function connected(client: Connecting): Promise<void> {
  const ready = new Promise<void>((resolve) => client.once('ready', resolve));
  await Promise.race([client.connect(), ready]);
}
