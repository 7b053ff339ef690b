import { LockError, createDeadline } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import { Connections } from './connections/connections.ts';
import type { KnexClient } from './dialect/knex.ts';
import type { LockStore } from './dialect/lock-store.ts';
import { createSqlLine } from './line/sql-line.ts';
import type { SqlLine } from './line/sql-line.ts';
import type { ReadSqlOptions } from './options/provider-options.ts';
import { Sweeper, sweepBatch } from './sweep/sweeper.ts';

/** How long `connect` may take, in ms. Its caller sets a limit of its own, which is shorter. */
const longestConnect = 3_600_000;
/** How many keys one statement of a list reads. More take longer, fewer need more statements. */
const listedTogether = 1_000;

/** What a provider is made of. */
export interface SqlProviderParts {
  readonly client: KnexClient;
  readonly store: LockStore;
  readonly options: ReadSqlOptions;
  readonly runtime: Runtime;
  /** What the tables call this process. */
  readonly process: string;
  /** What this package opened itself, to be ended by `close`. */
  readonly destroy?: (() => Promise<unknown>) | undefined;
}

/** Locks in a SQL database: the contract, over one dialect. */
export class SqlProvider implements LockProvider {
  readonly name: string;
  readonly traits: Traits;
  readonly #store: LockStore;
  readonly #options: ReadSqlOptions;
  readonly #deadline: Deadline;
  readonly #connections: Connections<unknown>;
  readonly #line: SqlLine;
  readonly #sweeper: Sweeper | undefined;
  readonly #destroy: (() => Promise<unknown>) | undefined;
  #closed = false;

  constructor({ client, store, options, runtime, process, destroy }: SqlProviderParts) {
    const { fair, timeout, tokenRetention } = options;
    this.name = store.name;
    this.traits = { scope: store.scope, expiry: 'ttl', fencing: 'clock-bounded', fair, shared: true, wake: true };
    this.#store = store;
    this.#options = options;
    this.#destroy = destroy;
    this.#deadline = createDeadline(runtime, timeout, store.name);
    this.#connections = new Connections(client, store, this.#deadline, runtime, timeout);
    const connections = this.#connections;
    this.#line = createSqlLine({ store, connections, options, process, deadline: this.#deadline, runtime });
    this.#sweeper = options.sweep ? new Sweeper(runtime, tokenRetention, (after) => this.#sweep(after)) : undefined;
  }

  /** Resolves when the database answers, and has the tables. Its caller sets the limit. */
  async connect(): Promise<void> {
    await this.#connections.run(async () => {}, { what: 'the connection', within: longestConnect });
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    this.#sweeper?.start();
    return this.#line.tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const { renewed, turns } = await this.#connections.run(
      (connection) => this.#store.renew(connection, claim, token),
      { what: 'a renewal', claim },
    );
    this.#line.tell(turns);
    return renewed ? {} : false;
  }

  async release(claim: Claim): Promise<boolean> {
    this.#line.leave(claim.owner);
    this.#checkOpen();
    const { freed, turns } = await this.#connections.run((connection) => this.#store.release(connection, claim), {
      what: 'a release',
      claim,
    });
    this.#line.tell(turns);
    return freed;
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    return await this.#connections.run((connection) => this.#store.inspect(connection, key), {
      what: 'an inspection',
    });
  }

  /** In the order of their bytes. A key that is held or waited for throughout is listed. */
  async *list(prefix: string): AsyncIterable<string> {
    let after: string | undefined;
    for (;;) {
      this.#checkOpen();
      const last = after;
      const keys = await this.#connections.run(
        (connection) => this.#store.list(connection, prefix, last, listedTogether),
        {
          what: 'a list',
        },
      );
      yield* keys;
      if (keys.length < listedTogether) return;
      after = keys.at(-1);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#sweeper?.stop();
    this.#line.close(this.#closedError());
    if (this.#destroy !== undefined) await this.#deadline.race(this.#destroy(), 'the end of its connections');
    this.#deadline.stop();
  }

  async #sweep(after: string): Promise<string | undefined> {
    const { next } = await this.#connections.run(
      (connection) => this.#store.sweep(connection, this.#options.tokenRetention, sweepBatch, after),
      { what: 'a sweep' },
    );
    return next;
  }

  #checkOpen(): void {
    if (this.#closed) throw this.#closedError();
  }

  #closedError(): LockError {
    return new LockError('LOCK_CLOSED', `The ${this.name} provider is closed.`);
  }
}
