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
  /** Finds a better error. */
  readonly explain?: Explaining;
}

/** Finds out why a first connection failed. */
export interface Explaining {
  /** Looks at the server. `undefined`: nothing is wrong with it. */
  probe(failure: LockError): Promise<LockError | undefined>;
  /** The error to throw, after that. `undefined`: the failure. */
  tell(failure: LockError, found: LockError | undefined): LockError | undefined;
}

/** For how long it is looked what a server is that does not answer within `limit`, in ms. */
export function probeTime(limit: number): number {
  return Math.min(1_000, limit / 4);
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
  const connecting = async (): Promise<void> => {
    await connected(client);
    if (isOver((client as Partial<OwnClient>).stream)) throw new Error('Connection is closed.');
    await afterwards?.(client);
  };
  // What a silent server may be is found out before the time is over.
  let probed: Promise<LockError | undefined> | undefined;
  const look = (): void => {
    probed = explain?.probe(toLockError(last ?? new Error('no answer'), { what: 'the connection' }));
  };
  const early = runtime.setTimer(look, limit - probeTime(limit), false);
  try {
    await deadline.race(connecting(), 'the connection');
  } catch (error) {
    client.disconnect();
    const text = error instanceof Error ? error.message : '';
    if (/DB index|SELECT is not allowed/.test(text)) {
      throw misconfigured(redisSource.where, `option "db" is ${db}, and Redis answers: ${text}`);
    }
    const failure = toLockError(last ?? error, { what: 'the connection' });
    throw explain?.tell(failure, await (probed ?? explain.probe(failure))) ?? failure;
  } finally {
    runtime.clearTimer(early);
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
