import { createSecureContext } from 'node:tls';
import { LockError, duration, flag, integer, matching, oneOf, readOptions } from '@locks/core/adapter';
import type { OptionReader, OptionReaders } from '@locks/core/adapter';
import type { Dialect } from '../dialect/dialect.ts';
import type { ConnectionOptions } from '../dialect/pool-config.ts';
import { readSqlOptions, sqlReaders, sqlSource } from './provider-options.ts';
import type { ReadSqlOptions, SqlOptions } from './provider-options.ts';

/** Options of `openLocks` for SQL: those of the provider and those of its connections. */
export interface SqlConfigOptions extends SqlOptions {
  /**
   * Create the tables, or bring them to this version's layout, if that is needed: the user must be
   * allowed to.
   * @default false
   */
  readonly migrate?: boolean | undefined;
  /**
   * How many connections are opened at most; one more listens on Postgres.
   * @default 10, SQLite 1
   */
  readonly pool?: number | undefined;
  /** Stronger than the URL's. Not for SQLite. */
  readonly user?: string | undefined;
  /** Stronger than the URL's, so that it need not stand in one. Not for SQLite. */
  readonly password?: string | undefined;
  /**
   * TLS: `true` checks the server's certificate by Node's defaults; an object has options of
   * `tls.connect` (`ca`, `cert`, …). Not for SQLite.
   * @default false
   */
  readonly ssl?: boolean | object | undefined;
  /**
   * Postgres: what `pg` makes of it; `require` and both `verify-…` check the certificate. Weaker
   * than `ssl`.
   */
  readonly sslmode?: 'disable' | 'require' | 'verify-ca' | 'verify-full' | 'no-verify' | undefined;
  /**
   * Within how many ms `openLocks` must have connected, and each connection later.
   * @default 5_000
   */
  readonly connectTimeout?: number | undefined;
  /** Postgres: the connections' name in `pg_stat_activity`. @default '@locks/sql' */
  readonly applicationName?: string | undefined;
}

const anyString: OptionReader<string> = matching(/^[^]*$/, 'a string');

const tlsOptions: OptionReader<boolean | object> = {
  expects: 'true, false or an object of TLS options',
  accepts: (value): value is boolean | object =>
    typeof value === 'boolean' || (typeof value === 'object' && value !== null),
  parse: flag.parse,
};

const readers: OptionReaders<SqlConfigOptions> = {
  ...sqlReaders,
  migrate: flag,
  pool: integer(1, 1_000),
  user: anyString,
  password: { ...anyString, secret: true },
  ssl: tlsOptions,
  sslmode: oneOf('disable', 'require', 'verify-ca', 'verify-full', 'no-verify'),
  connectTimeout: duration(10, 600_000),
  applicationName: matching(/^[ -~]{1,63}$/, '1 to 63 printable ASCII characters'),
};

/** All options, by the part that uses them. */
export interface ReadConfigOptions {
  readonly provider: ReadSqlOptions;
  readonly connections: ConnectionOptions;
  readonly migrate: boolean;
}

/**
 * Checks `options` for a database. Throws `LOCK_MISCONFIGURED` with the option, its value and what
 * it must be.
 */
export function readConfigOptions(options: object, { name, unusedOptions }: Dialect): ReadConfigOptions {
  const all: SqlConfigOptions = readOptions<SqlConfigOptions>(readers, options, sqlSource);
  const unused = unusedOptions.find((each) => all[each] !== undefined);
  if (unused !== undefined) {
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `@locks/sql: option "${unused}" means nothing for a ${name} database; leave it out.`,
    );
  }
  const { migrate, pool, user, password, ssl, sslmode, connectTimeout, applicationName, ...own } = all;
  const provider = readSqlOptions(own);
  return {
    provider,
    connections: {
      pool,
      user,
      password,
      tls: tlsOf(ssl, sslmode),
      connectTimeout: connectTimeout ?? 5_000,
      applicationName: applicationName ?? '@locks/sql',
      timeout: provider.timeout,
      sessions: provider.listen,
    },
    migrate: migrate ?? false,
  };
}

function tlsOf(ssl: boolean | object | undefined, sslmode: SqlConfigOptions['sslmode']): object | undefined {
  if (typeof ssl === 'object') {
    // pg throws for what cannot be used where no caller can catch it.
    try {
      createSecureContext(ssl);
    } catch (error) {
      const { message } = error as Error;
      throw new LockError('LOCK_MISCONFIGURED', `@locks/sql: option "ssl" cannot be used: ${message}.`);
    }
    return { ...ssl };
  }
  if (ssl !== undefined) return ssl ? {} : undefined;
  if (sslmode === undefined || sslmode === 'disable') return undefined;
  return sslmode === 'no-verify' ? { rejectUnauthorized: false } : {};
}
