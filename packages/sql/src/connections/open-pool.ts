import { LockError, settledWithin } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { KnexInstance } from '../dialect/knex.ts';
import type { ClientClass, ConnectionOptions, Driver, PoolConfig } from '../dialect/pools/pool-config.ts';

/** A knex of this package's own. */
export interface OwnPool {
  readonly knex: KnexInstance;
  /** Ends its connections: in order where the server answers within `grace` ms, else at once. */
  end(grace: number): Promise<void>;
}

type MakeKnex = (config: object) => KnexInstance & { destroy(): Promise<void> };

const silent = { debug() {}, warn() {}, error() {}, deprecate() {} };

/**
 * Opens a pool that connects when it is first needed.
 * @throws `LOCK_MISCONFIGURED` with what to install.
 */
export async function openPool(
  { client, module, load }: Driver,
  config: PoolConfig,
  { connectTimeout, timeout }: ConnectionOptions,
  runtime: Runtime,
): Promise<OwnPool> {
  // Node gives a CommonJS module no name but `default`.
  const make = (await importing('knex', module, () => import('knex'))).default as unknown as MakeKnex;
  const loaded = await importing(module, module, load);
  const base = make({ client, useNullAsDefault: true }).client.constructor as ClientClass;
  const knex = make({
    client: config.client(base, loaded.default),
    connection: config.connection,
    // Of SQLite, to which it means nothing here: without it knex warns.
    useNullAsDefault: true,
    // It would print errors that are thrown as well, and those of connections that are ended on
    // purpose.
    log: silent,
    acquireConnectionTimeout: Math.max(timeout, connectTimeout),
    pool: {
      min: 0,
      max: config.max,
      // The driver has a limit of its own, and its error says what was the matter.
      createTimeoutMillis: connectTimeout + 1_000,
      idleTimeoutMillis: 30_000,
      ...(config.afterCreate === undefined ? {} : { afterCreate: config.afterCreate }),
    },
  });
  return {
    knex,
    async end(grace) {
      await settledWithin(runtime, grace, knex.destroy());
      config.destroy?.();
    },
  };
}

async function importing<T>(module: string, driver: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    // As `require` calls it, and as `import` does.
    const absent = /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(code)) && String(message).includes(`'${module}'`);
    throw new LockError(
      'LOCK_MISCONFIGURED',
      `@locks/sql needs ${module}, which ${absent ? 'is not installed' : 'cannot be loaded'}. Run: npm install knex ${driver}`,
      absent ? {} : { cause: error },
    );
  }
}
