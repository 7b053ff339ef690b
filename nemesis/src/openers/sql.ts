import type { OpenArguments, OpenedLocks } from '@locks/conformance/nemesis';
import { createSqlProvider } from '@locks/sql';
import type { AnySqlClient, PostgresExecutor } from '@locks/sql';
import knex from 'knex';
import mysql from 'mysql2';
import mysqlPromise from 'mysql2/promise';
import { Pool, types as pgTypes } from 'pg';
import postgres from 'postgres';
import { addressOf, openedOver, quiet } from './opened.ts';
import { wrapped } from './wrapped.ts';

interface Args {
  readonly ttl: number;
  readonly options: object;
  readonly client: keyof typeof clients;
  /** That of the server. */
  readonly url: string;
}

interface Client {
  readonly client: AnySqlClient;
  end(): unknown;
}

type Settings = OpenArguments['settings'];

const silent = (): void => {};

/** How applications change the types of `pg`, for all of its pools. */
function changeTypes(types: unknown): void {
  const { builtins, setTypeParser } = pgTypes;
  if (types === 'bigint') setTypeParser(builtins.INT8, BigInt);
  if (types === 'number') setTypeParser(builtins.INT8, Number);
  if (types === 'text') for (const type of [builtins.BOOL, builtins.INT4, builtins.BYTEA]) setTypeParser(type, String);
  if (types === 'null') setTypeParser(builtins.TIMESTAMPTZ, () => null);
}

function pgPool(url: string, { types, max = 4, acquire = 0 }: Settings): Pool {
  changeTypes(types);
  const pool = quiet(new Pool({ connectionString: url, max: Number(max), connectionTimeoutMillis: Number(acquire) }));
  pool.on('connect', (connection) => connection.on('error', silent));
  return pool;
}

/** As in the documentation for another library. */
function executorOver(pool: Pool, max: number): PostgresExecutor {
  return {
    database: 'postgres',
    max,
    async connect() {
      const connection = await pool.connect();
      return {
        query: (text, values) => connection.query(text, [...values]),
        release: (broken) => connection.release(broken),
      };
    },
  };
}

function knexOf(client: 'pg' | 'mysql2', url: string, { max = 4, acquire = 0, types }: Settings): Client {
  if (client === 'pg') changeTypes(types);
  const database = knex({
    client,
    connection: url,
    pool: { min: 0, max: Number(max), ...(Number(acquire) > 0 && { acquireTimeoutMillis: Number(acquire) }) },
    log: { warn: silent, error: silent, debug: silent, deprecate: silent },
  });
  return { client: database, end: () => database.destroy() };
}

function mysqlOptions(uri: string, { max = 4, waiting = 0, bigNumbers, dateStrings }: Settings): mysql.PoolOptions {
  return {
    uri,
    connectionLimit: Number(max),
    // How many may wait for a connection; others are rejected. 0: any number.
    queueLimit: Number(waiting),
    supportBigNumbers: bigNumbers !== undefined && bigNumbers !== false,
    bigNumberStrings: bigNumbers === 'strings',
    dateStrings: dateStrings === true,
  };
}

const clients = {
  pg(url: string, settings: Settings): Client {
    const pool = pgPool(url, settings);
    return { client: wrapped(pool, settings['wrap'], ['connect']), end: () => pool.end() };
  },
  executor(url: string, settings: Settings): Client {
    const pool = pgPool(url, settings);
    return { client: executorOver(pool, Number(settings['max'] ?? 4)), end: () => pool.end() };
  },
  postgres(url: string, { max = 4, prepare = true }: Settings): Client {
    const sql = postgres(url, { max: Number(max), prepare: prepare === true, onnotice: silent });
    return { client: sql, end: () => sql.end({ timeout: 0 }) };
  },
  'knex over pg': (url: string, settings: Settings): Client => knexOf('pg', url, settings),
  'knex over mysql2': (url: string, settings: Settings): Client => knexOf('mysql2', url, settings),
  mysql2(url: string, settings: Settings): Client {
    const pool = mysql.createPool(mysqlOptions(url, settings));
    return { client: pool, end: () => pool.end(silent) };
  },
  'mysql2/promise'(url: string, settings: Settings): Client {
    const pool = mysqlPromise.createPool(mysqlOptions(url, settings));
    return { client: pool, end: () => pool.end() };
  },
} as const;

/** Locks over a pool of the application. */
export function open(given: OpenArguments): OpenedLocks {
  const { ttl, options, client: name, url } = given.args as unknown as Args;
  const { host, port } = addressOf(given);
  const own = Object.assign(new URL(url), { host: `${host}:${port}` }).href;
  const { listen, ...settings } = given.settings;
  const { client, end } = clients[name](own, settings);
  const provider = createSqlProvider(client, { ...options, ...(typeof listen === 'boolean' && { listen }) });
  return openedOver(provider, ttl, end);
}
