import { createDeadline, isLockError, runChecks } from '@locks/core/adapter';
import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';
import type { Examined } from '../dialect/diagnosis.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { endPool } from '../dialect/pools/own-pool.ts';
import type { OwnPool } from '../dialect/pools/own-pool.ts';
import type { SqlSession } from '../dialect/layout/sql-session.ts';
import { dialectOfUrl } from '../databases/dialects.ts';
import { readConfigOptions } from '../options/config-options.ts';
import type { ReadConfigOptions } from '../options/config-options.ts';

/** Looks at the database of `config`. */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  const { dialect, url } = dialectOfUrl(config.url);
  const options = readConfigOptions(config.options, dialect);
  const { names } = options.provider;
  const pool = await dialect.openPool({ url, options: options.connections, names, runtime: config.runtime });
  const deadline = createDeadline(config.runtime, options.connections.connectTimeout, dialect.name);
  try {
    const connection = await deadline.race(pool.client.acquire(), 'the connection').catch((error: unknown) => {
      throw isLockError(error) ? error : dialect.explain(pool.client, error, 'the connection');
    });
    try {
      return await examine(connection, { dialect, pool, provider: options.provider, runtime: config.runtime });
    } finally {
      pool.client.release(connection, false);
    }
  } finally {
    deadline.stop();
    await endPool(pool, config.runtime);
  }
}

interface Examination {
  readonly dialect: Dialect;
  readonly pool: OwnPool;
  readonly provider: ReadConfigOptions['provider'];
  readonly runtime: AdapterConfig['runtime'];
}

async function examine(connection: unknown, { dialect, pool, provider, runtime }: Examination): Promise<Diagnosis> {
  const session = dialect.openSession({ connection, names: provider.names, inTransaction: false });
  const database: Examined = { rows: inTurn(session), file: pool.client.file ?? '' };
  const { checks, identity } = await dialect.diagnosis();
  const findings = await runChecks(checks, database, { backend: dialect.name, within: provider.timeout, runtime });
  return { findings, server: await identity(database).catch(() => undefined) };
}

/** One statement after another: a client of `pg` takes no second one meanwhile. */
function inTurn(session: SqlSession): Examined['rows'] {
  let last: Promise<unknown> = Promise.resolve();
  return (sql, ...bindings) => {
    const next = last.then(() => session.rows(sql, ...bindings));
    last = next.catch(() => {});
    return next;
  };
}
