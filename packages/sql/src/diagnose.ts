import { isLockError, runChecks } from '@locks/core/adapter';
import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';
import { withOwnPool } from './databases/with-own-pool.ts';
import type { Examined } from './dialect/diagnosis.ts';
import type { SqlSession } from './dialect/layout/sql-session.ts';

/**
 * Examines the database of a configuration and its tables, for `locks doctor`. Changes no row.
 * @throws as `fromConfig`, except for missing or old tables.
 */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  return await withOwnPool(config, async ({ dialect, pool: { client }, provider, deadline }) => {
    const connection = await deadline.race(client.acquire(), 'the connection').catch((error: unknown) => {
      throw isLockError(error) ? error : dialect.explain(client, error, 'the connection');
    });
    try {
      const session = dialect.openSession({ connection, names: provider.names, inTransaction: false });
      const database: Examined = { rows: inTurn(session), file: client.file ?? '' };
      const { checks, identity } = await dialect.diagnosis();
      const { timeout: within } = provider;
      const findings = await runChecks(checks, database, { backend: dialect.name, within, runtime: config.runtime });
      return { findings, server: await identity(database).catch(() => undefined) };
    } finally {
      client.release(connection, false);
    }
  });
}

/** One statement at a time, as a client of `pg` requires. */
function inTurn(session: SqlSession): Examined['rows'] {
  let last: Promise<unknown> = Promise.resolve();
  return (sql, ...bindings) => {
    const next = last.then(() => session.rows(sql, ...bindings));
    last = next.catch(() => {});
    return next;
  };
}
