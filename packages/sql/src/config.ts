import { createDeadline } from '@locks/core/adapter';
import type { AdapterConfig } from '@locks/core/adapter';
import type { LockProvider } from '@locks/core';
import { assembleProvider } from './create-provider.ts';
import { endPool } from './dialect/pools/own-pool.ts';
import { dialectOfUrl } from './databases/dialects.ts';
import { checkTablesOf } from './migrations/change-layout.ts';
import { migrateTablesOf } from './migrations/migrate-tables.ts';
import { readConfigOptions } from './options/config-options.ts';

/**
 * The provider of `openLocks('postgres://…')`, `mysql://…`, `mariadb://…` and `sqlite:./locks.db`,
 * with its own connections.
 * @throws `LOCK_MISCONFIGURED` for a wrong option, a missing driver, refused credentials, or a
 * missing database or tables.
 * @throws `LOCK_UNAVAILABLE` if the database does not answer within `connectTimeout`.
 */
export async function fromConfig(config: AdapterConfig): Promise<LockProvider> {
  const { dialect, url } = dialectOfUrl(config.url);
  const { runtime } = config;
  const { provider: given, connections, migrate: toMigrate } = readConfigOptions(config.options, dialect);
  const { connectTimeout } = connections;
  const pool = await dialect.openPool({ url, options: connections, names: given.names, runtime });
  const own = { ...given, names: { ...given.names, schema: pool.schema ?? given.names.schema } };
  const provider = assembleProvider(pool.client, own, runtime, async () => {
    await endPool(pool, runtime, own.timeout / 2);
  });
  const deadline = createDeadline(runtime, connectTimeout, provider.name);
  const connect = async (): Promise<void> => {
    if (toMigrate) await migrateTablesOf(pool.client, { ...own.names, routines: own.routines });
    await provider.connect();
    if (own.routines && !toMigrate) await checkTablesOf(pool.client, own.names);
  };
  try {
    await deadline.race(connect(), 'the connection');
    return provider;
  } catch (error) {
    await provider.close();
    throw error;
  } finally {
    deadline.stop();
  }
}
