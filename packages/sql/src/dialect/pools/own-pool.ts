import { settledWithin } from '@locks/core/adapter';
import type { Asked, Runtime } from '@locks/core/adapter';
import type { SqlClient } from './client.ts';
import type { TableNames } from '../layout/names.ts';

/** The options of a configuration that only some databases use. */
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
  /** `undefined`: the database's default. */
  readonly pool: number | undefined;
  /** Overrides the URL's. */
  readonly host: string | undefined;
  /** Each may be a function, called for each connection. */
  readonly user: Asked<string> | undefined;
  readonly password: Asked<string> | undefined;
  /** The options of `tls.connect`; `undefined`: no TLS. */
  readonly tls: Asked<true | object> | undefined;
  /** In ms. */
  readonly connectTimeout: number;
  readonly applicationName: string;
  /** Binds a SCRAM login to its TLS connection, if the server supports that. */
  readonly channelBinding: boolean;
  /** Time limit of a statement on the server, in ms. */
  readonly timeout: number;
  /** Whether a missing database file is created. */
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

/** An own pool, which connects on first use. */
export interface OwnPool {
  readonly client: SqlClient;
  /** The schema of the connections, if the user cannot set it. */
  readonly schema?: string | undefined;
  /**
   * Closes its connections gracefully, also those outside of the pool. A silent server may block it
   * for ever.
   */
  end(): Promise<unknown>;
  /** Destroys the connections that are still open; servers log these as aborted. */
  destroy(): void;
}

/**
 * The longest wait for a graceful close, in ms. With more, `close` waits longer for a silent
 * server. With less, a busy server logs connections as aborted.
 */
const longestGrace = 1_000;

/** Closes `pool` gracefully; after `limit` ms, at most a second, destroys it. Never rejects. */
export async function endPool(pool: OwnPool, runtime: Runtime, limit: number = longestGrace): Promise<void> {
  await settledWithin(runtime, Math.min(limit, longestGrace), pool.end());
  pool.destroy();
}
