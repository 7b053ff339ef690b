import { createSecureContext } from 'node:tls';
import {
  anyText,
  connectionName,
  duration,
  flag,
  integer,
  matching,
  misconfigured,
  oneOf,
  orFunction,
  readOptions,
  secretOf,
  tlsOptions,
} from '@locks/core/adapter';
import type { Asked, Duration, OptionReaders } from '@locks/core/adapter';
import type { Dialect } from '../dialect/dialect.ts';
import type { ConnectionOptions } from '../dialect/pools/own-pool.ts';
import type { UrlParameters } from '../dialect/pools/url-parameters.ts';
import { readSqlOptions, sqlReaders, sqlSource } from './provider-options.ts';
import type { ReadSqlOptions, SqlOptions } from './provider-options.ts';

/** Options of `openLocks` for SQL: those of the provider and those of its connections. */
export interface SqlConfigOptions extends SqlOptions {
  /**
   * Create the tables, or migrate them to this version's layout, if needed: the user must have the
   * right.
   * @default false
   */
  readonly migrate?: boolean | undefined;
  /**
   * The maximum number of connections; one more listens on Postgres. One stays open.
   * @default 10, SQLite 1
   */
  readonly pool?: number | undefined;
  /**
   * Overrides the URL's: a name, an address, or the path of a Unix socket (for Postgres: of its
   * folder). Not for SQLite.
   * @default the URL's
   */
  readonly host?: string | undefined;
  /**
   * Overrides the URL's. Not for SQLite. Like `password` and `tls` it may be a function, which is
   * called for each connection, and must return within `connectTimeout`.
   * @default the URL's
   */
  readonly username?: Asked<string> | undefined;
  /**
   * Overrides the URL's, so that the URL need not contain it. Not for SQLite.
   * @default the URL's
   */
  readonly password?: Asked<string> | undefined;
  /**
   * TLS: `true` checks the server's certificate with Node's defaults; an object has options of
   * `tls.connect` (`ca`, `cert`, …). Not for SQLite.
   * @default false
   */
  readonly tls?: Asked<boolean | object> | undefined;
  /**
   * Postgres, as in `pg`: `prefer`, `require` and both `verify-…` are TLS and check the
   * certificate. Overridden by `tls`.
   * @default none: no TLS
   */
  readonly sslmode?: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full' | 'no-verify' | undefined;
  /**
   * Postgres: binds a SCRAM login to its TLS connection, if the server supports that.
   * @default false
   */
  readonly channelBinding?: boolean | undefined;
  /**
   * Time limit for `openLocks` to connect, and for each later connection.
   * @default 5_000 ms
   */
  readonly connectTimeout?: Duration | undefined;
  /**
   * Not for SQLite: the name of the connections, in `pg_stat_activity` of Postgres, and as
   * `program_name` in `session_connect_attrs` of MySQL and MariaDB. `locks doctor` counts those
   * that begin with `locks:`.
   * @default 'locks:host:pid'
   */
  readonly applicationName?: string | undefined;
}

const readers: OptionReaders<SqlConfigOptions> = {
  ...sqlReaders,
  migrate: flag,
  pool: integer(1, 1_000),
  host: matching(/^[^\s@?#%]{1,255}$/, 'a name, an address, or the path of a Unix socket'),
  username: orFunction(anyText),
  password: secretOf,
  tls: orFunction(tlsOptions),
  sslmode: oneOf('disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'),
  channelBinding: flag,
  connectTimeout: duration(10, 600_000),
  applicationName: matching(/^[ -~]{1,63}$/, '1 to 63 printable ASCII characters'),
};

/** All options, by their users. */
export interface ReadConfigOptions {
  readonly provider: ReadSqlOptions;
  readonly connections: ConnectionOptions;
  readonly migrate: boolean;
}

/**
 * Checks `options` for a database.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readConfigOptions(options: object, { name, unusedOptions, urlParameters }: Dialect): ReadConfigOptions {
  const all = readOptions<SqlConfigOptions>(readers, ownNames(options, urlParameters), sqlSource);
  const unused = unusedOptions.find((each) => all[each] !== undefined);
  if (unused !== undefined) {
    throw misconfigured('@locks/sql', `option "${unused}" has no effect on a ${name} database; leave it out`);
  }
  const { migrate, pool, host, username, password, tls, sslmode, channelBinding, connectTimeout, ...others } = all;
  const { applicationName, ...own } = others;
  const provider = readSqlOptions(own);
  return {
    provider,
    connections: {
      pool,
      host,
      user: username,
      password,
      tls: tlsOf(tls, sslmode),
      connectTimeout: connectTimeout ?? 5_000,
      applicationName: applicationName ?? connectionName(),
      channelBinding: channelBinding ?? false,
      timeout: provider.timeout,
      sessions: provider.listen,
      creates: migrate ?? false,
    },
    migrate: migrate ?? false,
  };
}

/** `options` with the names of this package, which override URL parameters. */
function ownNames(options: object, parameters: UrlParameters): object {
  const own: Record<string, unknown> = {};
  const meant: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    const read = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (read === undefined) {
      own[name] = value;
      continue;
    }
    const meaning = read(String(value));
    if (meaning === undefined) {
      throw misconfigured(sqlSource.where, `parameter "${name}" of its URL cannot have this value here; leave it out`);
    }
    Object.assign(meant, meaning);
  }
  return { ...meant, ...own };
}

function tlsOf(tls: SqlConfigOptions['tls'], sslmode: SqlConfigOptions['sslmode']): ConnectionOptions['tls'] {
  if (typeof tls === 'function') return tls;
  if (typeof tls === 'object') {
    // pg throws for unusable values where no caller can catch it.
    try {
      createSecureContext(tls);
    } catch (error) {
      const { message } = error as Error;
      throw misconfigured('@locks/sql', `option "tls" cannot be used: ${message}`);
    }
    return { ...tls };
  }
  if (tls !== undefined) return tls ? {} : undefined;
  if (sslmode === undefined || sslmode === 'disable') return undefined;
  return sslmode === 'no-verify' ? { rejectUnauthorized: false } : {};
}
