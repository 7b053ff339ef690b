import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '@locks/core';
import type { Runtime } from '@locks/core/adapter';
import { KeyCalls } from './connections/key-calls.ts';
import { StoreCalls } from './connections/store-calls.ts';
import type { StoreCallsParts } from './connections/store-calls.ts';
import type { Dialect } from './dialect/dialect.ts';
import type { LockStore } from './dialect/stores/lock-store.ts';
import { createSqlQueue } from './queue/sql-queue.ts';
import type { SqlQueue } from './queue/sql-queue.ts';
import { Sweeper } from './sweep/sweeper.ts';

/** What a provider is made of. */
export interface SqlProviderParts extends StoreCallsParts {
  readonly dialect: Dialect;
  readonly store: LockStore;
  /** What the tables call this process. */
  readonly process: string;
}

/** Locks in a SQL database: the contract, over one dialect. */
export class SqlProvider implements LockProvider {
  readonly name: string;
  readonly traits: Traits;
  readonly #runtime: Runtime;
  readonly #calls: StoreCalls;
  readonly #keyCalls: KeyCalls;
  readonly #queue: SqlQueue;
  readonly #sweeper: Sweeper | undefined;

  constructor(parts: SqlProviderParts) {
    const { dialect, store, options, runtime, process } = parts;
    const { name, scope } = dialect;
    const { tokenRetention } = options;
    this.name = name;
    this.traits = { scope, expiry: 'ttl', fencing: 'clock-bounded', fair: true, shared: true, wake: true };
    this.#runtime = runtime;
    this.#calls = new StoreCalls(parts);
    this.#keyCalls = new KeyCalls(this.#calls, store, runtime);
    const { connections, deadline } = this.#calls;
    const acquireFree = (claim: Claim): Promise<bigint | undefined> => this.#keyCalls.acquireFree(claim);
    this.#queue = createSqlQueue({ name, store, acquireFree, connections, options, process, deadline, runtime });
    const sweep = (after: string): Promise<string | undefined> => this.#calls.nextOfSweep(after);
    this.#sweeper = options.sweep ? new Sweeper(runtime, tokenRetention, sweep) : undefined;
  }

  /** Resolves when the database answers, and has the tables. Its caller sets the limit. */
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
    const waited = this.#queue.leave(claim.owner);
    const sentAt = this.#runtime.clock.exact();
    const { freed, turns } = await this.#keyCalls.release(claim, this.#queue.waitsFor(claim.key), waited);
    this.#queue.tell(turns, sentAt);
    return freed && !waited;
  }

  async inspect(key: string): Promise<KeyState> {
    return await this.#calls.inspect(key);
  }

  time(): Promise<number> {
    return this.#calls.time();
  }

  register(name: string, change?: RegisterChange): Promise<string | undefined> {
    return this.#calls.register(name, change);
  }

  /** In the order of their bytes. A key that is held or waited for throughout is listed. */
  list(prefix: string): AsyncIterable<string> {
    return this.#calls.list(prefix);
  }

  async close(): Promise<void> {
    if (this.#calls.closed) return;
    this.#sweeper?.stop();
    this.#queue.close(this.#calls.closedError());
    await this.#calls.close();
  }
}
