import { Socket } from 'node:net';
import { LockError } from '@locks/core/adapter';
import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { ConnectionOptions } from './config-options.ts';
import type { DatabasePlace, ServerPlace } from './database-url.ts';
import type { KnexInstance } from './knex.ts';
import { fileSchema, withLibsql } from './sqlite/driver.ts';
import type { DatabaseClass } from './sqlite/driver.ts';

/** A knex of this package's own. */
export interface OwnPool {
  readonly knex: KnexInstance;
  /** Where its connections find the tables, if that is not for the user to say. */
  readonly schema: string | undefined;
  /** Ends its connections: in order where the server answers within `grace` ms, else at once. */
  end(grace: number): Promise<void>;
}

/** What a knex is made of. */
interface Recipe {
  readonly connection: object;
  /** The first thing on each connection. */
  readonly afterCreate?: (connection: never, done: (error: unknown) => void) => void;
}

interface Loaded {
  readonly default: unknown;
}

/** libsql has the interface of better-sqlite3, and installs without a compiler. */
const drivers = {
  postgres: { client: 'pg', module: 'pg', load: (): Promise<Loaded> => import('pg') },
  mysql: { client: 'mysql2', module: 'mysql2', load: (): Promise<Loaded> => import('mysql2') },
  sqlite: { client: 'better-sqlite3', module: 'libsql', load: (): Promise<Loaded> => import('libsql') },
} as const satisfies Record<DatabasePlace['kind'], object>;

type MakeKnex = (config: object) => KnexInstance & { destroy(): Promise<void> };

/** Whoever uses a firewall that forgets silent connections finds out about a dead one after this long, in ms. */
const keepAliveDelay = 10_000;

const silent = { debug() {}, warn() {}, error() {}, deprecate() {} };

/**
 * Opens a pool that connects when it is first needed.
 * @throws `LOCK_MISCONFIGURED` with what to install.
 */
export async function openPool(place: DatabasePlace, options: ConnectionOptions, runtime: Runtime): Promise<OwnPool> {
  const { connectTimeout, timeout, pool } = options;
  const sockets = new Set<Socket>();
  const driver = drivers[place.kind];
  // Node gives a CommonJS module no name but `default`.
  const make = (await importing('knex', driver.module, () => import('knex'))).default as unknown as MakeKnex;
  const loaded = await importing(driver.module, driver.module, driver.load);
  const recipe = place.kind === 'sqlite' ? { connection: { filename: place.file } } : ofServer(place, options, sockets);
  const { client } = make({ client: driver.client, useNullAsDefault: true });
  const knex = make({
    client:
      place.kind === 'sqlite'
        ? withLibsql(classOf(client), loaded.default as DatabaseClass, { patience: connectTimeout, runtime })
        : withDriver(classOf(client), loaded.default),
    connection: recipe.connection,
    // Of SQLite, to which it means nothing here: without it knex warns.
    useNullAsDefault: true,
    // It prints what is thrown as well, and the reasons of connections that were ended on purpose.
    log: silent,
    acquireConnectionTimeout: Math.max(timeout, connectTimeout),
    pool: {
      min: 0,
      max: pool,
      // Whoever connects has a limit of its own, and says what was the matter.
      createTimeoutMillis: connectTimeout + 1_000,
      idleTimeoutMillis: 30_000,
      ...(recipe.afterCreate === undefined ? {} : { afterCreate: recipe.afterCreate }),
    },
  });
  return {
    knex,
    schema: place.kind === 'sqlite' ? fileSchema : undefined,
    async end(grace) {
      await settled(knex.destroy(), grace, runtime);
      for (const socket of sockets) socket.destroy();
    },
  };
}

function ofServer(place: ServerPlace, options: ConnectionOptions, sockets: Set<Socket>): Recipe {
  const socketPath = place.host.startsWith('/') ? place.host : undefined;
  const newSocket = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (socketPath !== undefined) return socket;
    return socket.setNoDelay(true).setKeepAlive(true, keepAliveDelay);
  };
  const login = {
    user: options.user ?? place.user,
    password: options.password ?? place.password,
    database: place.database,
  };
  return place.kind === 'postgres'
    ? ofPostgres(place, login, options, newSocket)
    : ofMysql(place, login, options, () => {
        const socket = newSocket();
        return socketPath === undefined ? socket.connect(place.port, place.host) : socket.connect(socketPath);
      });
}

function ofPostgres(
  { host, port }: ServerPlace,
  login: object,
  options: ConnectionOptions,
  stream: () => Socket,
): Recipe {
  const { timeout, connectTimeout, applicationName, sessions, tls } = options;
  const limits = {
    statement_timeout: timeout,
    lock_timeout: timeout,
    idle_in_transaction_session_timeout: timeout,
    options: '-c default_transaction_isolation=read\\ committed',
  };
  return {
    connection: {
      host,
      port,
      ...login,
      ssl: tls ?? false,
      application_name: applicationName,
      connectionTimeoutMillis: connectTimeout,
      stream,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
      // A pooler refuses what it cannot set on the connections that it lends.
      ...(sessions ? limits : {}),
    },
  };
}

function ofMysql({ host, port }: ServerPlace, login: object, options: ConnectionOptions, stream: () => Socket): Recipe {
  const { timeout, connectTimeout, tls } = options;
  const seconds = Math.max(1, Math.ceil(timeout / 1_000));
  const settings = [
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
    `SET SESSION autocommit = 1, SESSION innodb_lock_wait_timeout = ${seconds}`,
  ];
  return {
    connection: {
      host,
      port,
      ...login,
      ...(tls === undefined ? {} : { ssl: tls }),
      connectTimeout,
      stream,
      // It would note a stack for each statement.
      trace: false,
    },
    afterCreate(connection: { query(sql: string, done: (error: unknown) => void): void }, done) {
      const next = (index: number): void => {
        const setting = settings[index];
        if (setting === undefined) return done(null);
        connection.query(setting, (error) => (error ? done(error) : next(index + 1)));
      };
      next(0);
    },
  };
}

/** `Client` with `driver`, which knex itself may be unable to find where packages see only what they name. */
function withDriver(Client: new (config: object) => object, driver: unknown): unknown {
  return class extends Client {
    _driver(): unknown {
      return driver;
    }
  };
}

function classOf<T>(client: object): new (config: object) => T {
  return client.constructor as new (config: object) => T;
}

async function importing<T>(module: string, driver: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const absent = code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${module}'`);
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `@locks/sql needs ${module}, which ${absent ? 'is not installed' : 'cannot be loaded'}. Run: npm install knex ${driver}`,
      absent ? {} : { cause: error },
    );
  }
}

/** Resolves when `work` has settled, or after `limit` ms. */
async function settled(work: Promise<unknown>, limit: number, runtime: Runtime): Promise<void> {
  let timer: TimerHandle | undefined;
  const late = new Promise<void>((resolve) => {
    timer = runtime.setTimer(resolve, limit, true);
  });
  await Promise.race([work.catch(() => {}), late]);
  if (timer !== undefined) runtime.clearTimer(timer);
}
