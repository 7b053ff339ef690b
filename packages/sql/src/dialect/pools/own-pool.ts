import { settledWithin } from '@locks/core/adapter';
import type { Asked, Runtime } from '@locks/core/adapter';
import type { SqlClient } from './client.ts';
import type { TableNames } from '../layout/names.ts';

/** The options of a configuration that not every database has. */
export type SpecificOption =
  | 'host'
  | 'username'
  | 'password'
  | 'tls'
  | 'sslmode'
  | 'channelBinding'
  | 'applicationName';

/** The options of the connections, with their defaults. */
export interface ConnectionOptions {
  /** `undefined`: what suits the database. */
  readonly pool: number | undefined;
  /** Stronger than that of the URL. */
  readonly host: string | undefined;
  /** Each may be a function, which is asked at each connection. */
  readonly user: Asked<string> | undefined;
  readonly password: Asked<string> | undefined;
  /** The options of `tls.connect`; `undefined`: no TLS. */
  readonly tls: Asked<true | object> | undefined;
  /** In ms. */
  readonly connectTimeout: number;
  readonly applicationName: string;
  /** A login over TLS is bound to its connection, where the server offers that. */
  readonly channelBinding: boolean;
  /** How long the server may work on a statement, in ms. */
  readonly timeout: number;
  /** Whether a database that is a file is created if it is missing. */
  readonly creates: boolean;
  /** Whether each connection is one session on the server. */
  readonly sessions: boolean;
}

export interface OwnPoolParts {
  readonly url: string;
  readonly options: ConnectionOptions;
  readonly names: TableNames;
  readonly runtime: Runtime;
}

/** A pool of this package's own, which connects when it is first needed. */
export interface OwnPool {
  readonly client: SqlClient;
  /** Where the connections find the tables, if that is not for the user to say. */
  readonly schema?: string | undefined;
  /**
   * Ends its connections in order, those beside the pool too. A silent server may keep it from that
   * for ever.
   */
  end(): Promise<unknown>;
  /** Ends the connections that are still open, which servers log as aborted. */
  destroy(): void;
}

/**
 * The longest wait for connections to end in order, in ms. With more, `close` waits longer for a
 * silent server. With less, a busy server logs connections as aborted.
 */
const longestGrace = 1_000;

/** Ends `pool` in order; after `limit` ms, at most a second, at once. Never rejects. */
export async function endPool(pool: OwnPool, runtime: Runtime, limit: number = longestGrace): Promise<void> {
  await settledWithin(runtime, Math.min(limit, longestGrace), pool.end());
  pool.destroy();
}
