import { createDeadline, providerClosed } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import type { SqlClient } from '../dialect/pools/client.ts';
import type { ConnectionRules } from '../dialect/dialect.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import type { Swept, TableStore } from '../dialect/stores/store.ts';
import type { ReadSqlOptions } from '../options/provider-options.ts';
import { Connections } from './connections.ts';
import type { About } from './connections.ts';

/** Limit of `connect`, in ms. Its caller sets a shorter one. */
const longestConnect = 3_600_000;

/**
 * The most rows that one step of a sweep removes. More delay others longer; fewer take longer in
 * total.
 */
const sweepBatch = 500;

/** How many keys one statement of a list reads. More take longer, fewer need more statements. */
const listedTogether = 1_000;

export interface TableCallsParts {
  readonly client: SqlClient;
  readonly dialect: ConnectionRules;
  readonly store: TableStore;
  readonly options: ReadSqlOptions;
  readonly runtime: Runtime;
  /** Ends what this package opened itself. */
  readonly destroy?: (() => Promise<unknown>) | undefined;
}

/** The calls of one provider to its tables, each over a connection of the pool, until `close`. */
export class TableCalls {
  readonly deadline: Deadline;
  readonly connections: Connections<unknown>;
  readonly #name: string;
  readonly #store: TableStore;
  readonly #retention: number;
  readonly #destroy: (() => Promise<unknown>) | undefined;
  #closed = false;

  constructor({ client, dialect, store, options, runtime, destroy }: TableCallsParts) {
    const { timeout, tokenRetention } = options;
    const deadline = createDeadline(runtime, timeout, dialect.name);
    this.deadline = deadline;
    this.connections = new Connections({ client, dialect, store, deadline, runtime, timeout });
    this.#name = dialect.name;
    this.#store = store;
    this.#retention = tokenRetention;
    this.#destroy = destroy;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when the database answers, and has the tables. The caller sets the limit. */
  async connect(): Promise<void> {
    await this.connections.run(async () => {}, { what: 'the connection', within: longestConnect });
  }

  /** @throws `LOCK_CLOSED` synchronously: an async function would cost each call a promise. */
  run<T>(work: (connection: unknown) => Promise<T>, about: About): Promise<T> {
    this.checkOpen();
    return this.connections.run(work, about);
  }

  /** As `runNow` of the connections. @throws as `run`. */
  runNow<T>(work: (connection: unknown) => T, about: About): T | undefined {
    this.checkOpen();
    return this.connections.runNow(work, about);
  }

  async time(): Promise<number> {
    return await this.run((connection) => this.#store.time(connection), { what: 'a read of the clock' });
  }

  /** One step of a sweep, starting after a key. */
  async sweep(after: string): Promise<Swept> {
    const step = (connection: unknown): Promise<Swept> =>
      this.#store.sweep(connection, this.#retention, sweepBatch, after);
    return await this.connections.run(step, { what: 'a sweep' });
  }

  async *list(prefix: string): AsyncIterable<string> {
    for (let after: string | undefined, more = true; more; more = after !== undefined) {
      const last = after;
      const read = (connection: unknown): Promise<ListedKeys> =>
        this.#store.list(connection, prefix, last, listedTogether);
      const { keys, next } = await this.run(read, { what: 'a list' });
      yield* keys;
      after = next;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#destroy !== undefined) await this.deadline.race(this.#destroy(), 'the end of its connections');
    this.deadline.stop();
  }

  checkOpen(): void {
    if (this.#closed) throw providerClosed(this.#name);
  }
}
