import { systemRuntime } from '@locks/core/adapter';
import { TableCalls } from '../connections/table-calls.ts';
import { findClient } from '../clients/find-client.ts';
import type { AnySqlClient } from '../clients/find-client.ts';
import type { Swept } from '../dialect/stores/store.ts';
import { dialectOf } from '../databases/dialects.ts';
import { storeOf } from '../databases/store-of.ts';
import { readSqlOptions } from '../options/provider-options.ts';
import type { TableOptions } from '../options/provider-options.ts';

/** Options of `sweep`. */
export interface SweepOptions extends TableOptions {
  /** How long a key must have been idle, in ms; at least two ttls. @default 3_600_000 (an hour) */
  readonly tokenRetention?: number | undefined;
  /** As in the providers. @default true */
  readonly routines?: boolean | undefined;
  /** Time limit of each statement, in ms. @default 5_000 */
  readonly timeout?: number | undefined;
}

/**
 * Removes the rows of idle keys, and resolves to their number. Run it periodically if providers
 * have `sweep: false`. It sends many short statements, none of which waits for a row. Tokens never
 * decrease because of it. It is safe while locks are in use, and during another sweep.
 * @throws `LOCK_UNAVAILABLE` if the database does not answer; `LOCK_MISCONFIGURED` for a wrong
 * option or missing tables.
 */
export async function sweep(given: AnySqlClient, options: SweepOptions = {}): Promise<number> {
  const read = readSqlOptions(options);
  const client = findClient(given);
  const dialect = dialectOf(client, read.names);
  const { store } = storeOf(dialect, client, read, systemRuntime);
  const calls = new TableCalls({ client, dialect, store, options: read, runtime: systemRuntime });
  try {
    let all = 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const { removed, next }: Swept = await calls.sweep(after);
      all += removed;
      after = next;
    }
    return all;
  } finally {
    await calls.close();
    await client.close?.();
  }
}
