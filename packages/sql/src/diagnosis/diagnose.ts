import { createDeadline, isLockError, runChecks } from '@locks/core/adapter';
import type { AdapterConfig, Check, Diagnosis } from '@locks/core/adapter';
import type { Examined } from '../dialect/diagnosis.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { checkTables } from '../dialect/layout/layout.ts';
import type { OwnPool } from '../dialect/pools/own-pool.ts';
import type { SqlSession } from '../dialect/sql-session.ts';
import { checkColumns } from '../dialect/stores/plain-columns.ts';
import { dialectOfUrl } from '../dialects.ts';
import { readConfigOptions } from '../options/config-options.ts';
import type { ReadConfigOptions } from '../options/config-options.ts';

/** Looks at the database of `config`, and at its tables. */
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
      return await examine(connection, { dialect, pool, options, runtime: config.runtime });
    } finally {
      pool.client.release(connection, false);
    }
  } finally {
    deadline.stop();
    void pool.end().catch(() => {});
    pool.destroy();
  }
}

interface Examination {
  readonly dialect: Dialect;
  readonly pool: OwnPool;
  readonly options: ReadConfigOptions;
  readonly runtime: AdapterConfig['runtime'];
}

async function examine(connection: unknown, { dialect, pool, options, runtime }: Examination): Promise<Diagnosis> {
  const { provider, connections } = options;
  const names = { ...provider.names, schema: pool.schema ?? provider.names.schema };
  const session = dialect.openSession({ connection, names, inTransaction: false });
  const database: Examined = {
    rows: inTurn(session),
    connection,
    host: pool.host ?? 'localhost',
    pool: pool.client.max,
    listen: connections.sessions,
    file: pool.client.file ?? '',
  };
  const { checks, identity } = await dialect.diagnosis();
  const all = [tablesCheck({ ...session, rows: database.rows }, dialect, options), ...checks];
  const findings = await runChecks(all, database, { backend: dialect.name, within: provider.timeout, runtime });
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

function tablesCheck(session: SqlSession, dialect: Dialect, { provider, migrate }: ReadConfigOptions): Check<Examined> {
  const { names, routines } = provider;
  return {
    name: 'tables',
    async look() {
      try {
        if (routines) checkTables(await dialect.tablesOf(session), names);
        else checkColumns(await dialect.plain.columnsOf(session), dialect.plain.columns, names);
        return { level: 'ok', what: 'The tables are up to date.' };
      } catch (error) {
        if (!isLockError(error, 'LOCK_MISCONFIGURED')) throw error;
        const later = 'The tables are missing or old: the next process that opens them mends that (migrate=true).';
        if (migrate) return { level: 'note', what: later };
        return { level: 'problem', what: error.message, advice: 'Run: locks tables up' };
      }
    },
  };
}
