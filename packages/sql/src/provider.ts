import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '@locks/core';
import { checkRegister, providerClosed } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { createKeyCalls } from './connections/key-calls.ts';
import type { KeyCalls } from './connections/key-calls.ts';
import { TableCalls } from './connections/table-calls.ts';
import type { TableCallsParts } from './connections/table-calls.ts';
import type { Dialect } from './dialect/dialect.ts';
import type { LockStore } from './dialect/stores/lock-store.ts';
import { createSqlQueue } from './queue/sql-queue.ts';
import type { SqlQueue } from './queue/sql-queue.ts';
import { Sweeper } from './sweep/sweeper.ts';

export interface SqlProviderParts extends TableCallsParts {
  readonly dialect: Dialect;
  readonly store: LockStore;
}

/** Locks in a SQL database: the contract, over one dialect. */
export class SqlProvider implements LockProvider {
  readonly name: string;
  readonly traits: Traits;
  readonly #runtime: Runtime;
  readonly #store: LockStore;
  readonly #calls: TableCalls;
  readonly #keyCalls: KeyCalls;
  readonly #queue: SqlQueue;
  readonly #sweeper: Sweeper | undefined;

  constructor(parts: SqlProviderParts) {
    const { dialect, store, options, runtime } = parts;
    const { name, scope } = dialect;
    const { tokenRetention } = options;
    this.name = name;
    this.traits = { scope, expiry: 'ttl', fencing: 'clock-bounded', fair: true, shared: true, wake: true };
    this.#runtime = runtime;
    this.#store = store;
    this.#calls = new TableCalls(parts);
    this.#keyCalls = createKeyCalls(this.#calls, store, runtime);
    const { connections, deadline } = this.#calls;
    const { acquireFree } = this.#keyCalls;
    this.#queue = createSqlQueue({ name, store, acquireFree, connections, options, deadline, runtime });
    this.#sweeper = options.sweep
      ? new Sweeper(runtime, tokenRetention, (after) => this.#calls.sweep(after))
      : undefined;
  }

  /** Resolves when the database answers, and has the tables. The caller sets the limit. */
  async connect(): Promise<void> {
    await this.#calls.connect();
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    this.#sweeper?.start();
    return this.#queue.tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    const sentAt = this.#runtime.clock.exact();
    const { renewed, turns } = await this.#keyCalls.renew(claim, token);
    this.#queue.tell(turns, sentAt);
    return renewed ? {} : false;
  }

  async release(claim: Claim): Promise<boolean> {
    const waited = this.#queue.leave(claim);
    const sentAt = this.#runtime.clock.exact();
    const { freed, turns } = await this.#keyCalls.release(claim, this.#queue.waitsFor(claim.key), waited);
    this.#queue.tell(turns, sentAt);
    return freed && !waited;
  }

  async inspect(key: string): Promise<KeyState> {
    const read = (connection: unknown): Promise<KeyState> => this.#store.inspect(connection, key);
    return await this.#calls.run(read, { what: 'an inspection', first: true });
  }

  async time(): Promise<number> {
    return await this.#calls.time();
  }

  async register(name: string, change?: RegisterChange): Promise<string | undefined> {
    checkRegister(name, change);
    const differs = change !== undefined && change.from !== change.to;
    const work = async (connection: unknown): Promise<string | undefined> => {
      for (;;) {
        if (differs && (await this.#store.changeRegister(connection, name, change))) return change.to;
        const text = await this.#store.readRegister(connection, name);
        // It may have become the expected text since.
        if (!differs || text !== change.from) return text;
      }
    };
    return await this.#calls.run(work, { what: 'a register' });
  }

  list(prefix: string): AsyncIterable<string> {
    return this.#calls.list(prefix);
  }

  async close(): Promise<void> {
    if (this.#calls.closed) return;
    this.#sweeper?.stop();
    this.#queue.close(providerClosed(this.name));
    await Promise.all([this.#store.listening?.ended?.(), this.#calls.close()]);
  }
}
