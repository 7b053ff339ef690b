import { createDeadline, systemRuntime } from '@locks/core/adapter';
import { Connections } from '../connections/connections.ts';
import type { KnexInstance } from '../dialect/knex.ts';
import type { LockStore } from '../dialect/lock-store.ts';
import { dialectOf } from '../dialects.ts';
import { readSqlOptions } from '../options/provider-options.ts';
import type { ReadSqlOptions, TableOptions } from '../options/provider-options.ts';
import type { PlainStore } from '../dialect/plain-store.ts';
import { sweepBatch } from './sweeper.ts';

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
 * Removes the rows of idle keys, and resolves to how many it was: for a job that runs now and then
 * where providers have `sweep: false`. It sends many short statements, and none of them waits for a
 * row. Tokens never go back for it. It is safe while locks are in use, and while another sweep
 * runs.
 * @throws `LOCK_UNAVAILABLE` when the database does not answer; `LOCK_MISCONFIGURED` for a wrong
 * option or missing tables.
 */
export async function sweep(knex: KnexInstance, options: SweepOptions = {}): Promise<number> {
  const read = readSqlOptions(options);
  const { timeout, tokenRetention } = read;
  const store = storeOf(knex, read);
  const deadline = createDeadline(systemRuntime, timeout, store.name);
  const connections = new Connections(knex.client, store, deadline, systemRuntime, timeout);
  try {
    let all = 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after;
      const { removed, next } = await connections.run(
        (connection) => store.sweep(connection, tokenRetention, sweepBatch, from),
        { what: 'a sweep' },
      );
      all += removed;
      after = next;
    }
    return all;
  } finally {
    deadline.stop();
  }
}

/** What there is to sweep, in either layout. */
function storeOf(knex: KnexInstance, options: ReadSqlOptions): LockStore | PlainStore {
  const dialect = dialectOf(knex, options.names);
  const given = { ...options, runtime: systemRuntime };
  return options.routines
    ? dialect.createStore(knex.client, { ...given, process: systemRuntime.uniqueId() })
    : dialect.plain.createStore(knex.client, given);
}
