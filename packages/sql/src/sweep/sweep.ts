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
  /** How long a key must have been idle, in ms; two ttls at least. @default 3_600_000 (an hour) */
  readonly tokenRetention?: number | undefined;
  /** As the providers have it. @default true */
  readonly routines?: boolean | undefined;
  /** Within how many ms each statement settles. @default 5_000 */
  readonly timeout?: number | undefined;
}

/**
 * Removes the rows of idle keys, and resolves to how many it was. It is for a job that runs now and
 * then, where providers have `sweep: false`. It sends many short statements, and none of them waits
 * for a row. Tokens never go back for it. It is safe while locks are in use, and while another
 * sweep runs.
 * @throws `LOCK_UNAVAILABLE` when the database does not answer; `LOCK_MISCONFIGURED` for a wrong
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
