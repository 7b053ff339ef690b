import { LockError, createDeadline, isLockError } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import { Connections } from './connections/connections.ts';
import type { About } from './connections/connections.ts';
import type { KnexClient } from './dialect/knex.ts';
import type { ReadSqlOptions } from './options/provider-options.ts';
import { Sweeper, sweepBatch } from './sweep/sweeper.ts';
import type { PlainStore } from './dialect/plain-store.ts';

/** Longer than any limit of a caller that connects, in ms. */
const longestConnect = 3_600_000;

/** How many keys one statement of `list` answers. More keep a connection longer. */
const listBatch = 1_000;

/** What a provider is made of. */
interface PlainProviderParts {
  readonly client: KnexClient;
  readonly store: PlainStore;
  readonly options: ReadSqlOptions;
  readonly runtime: Runtime;
  /** Ends what this package opened itself. */
  readonly destroy?: (() => Promise<unknown>) | undefined;
}

/**
 * Exclusive locks in one table of four columns, without stored routines: an optimistic lock on a
 * version column. There is no line; core polls.
 */
export class PlainProvider implements LockProvider {
  readonly name: string;
  readonly traits: Traits;
  readonly #store: PlainStore;
  readonly #options: ReadSqlOptions;
  readonly #deadline: Deadline;
  readonly #connections: Connections<unknown>;
  readonly #sweeper: Sweeper | undefined;
  readonly #destroy: (() => Promise<unknown>) | undefined;
  /** The answer to a claim that comes too late. Without `pollInterval` core polls at its own pace. */
  readonly #busy: Busy;
  #closed = false;

  constructor({ client, store, options, runtime, destroy }: PlainProviderParts) {
    const { timeout, tokenRetention, pollInterval } = options;
    this.name = store.name;
    this.traits = {
      scope: store.scope,
      expiry: 'ttl',
      fencing: 'clock-bounded',
      fair: false,
      shared: false,
      wake: false,
    };
    this.#store = store;
    this.#options = options;
    this.#destroy = destroy;
    this.#deadline = createDeadline(runtime, timeout, store.name);
    this.#connections = new Connections(client, store, this.#deadline, runtime, timeout);
    this.#busy = pollInterval === undefined ? { granted: false } : { granted: false, retryAfter: pollInterval };
    this.#sweeper = options.sweep ? new Sweeper(runtime, tokenRetention, (after) => this.#sweep(after)) : undefined;
  }

  /** Resolves when the database answers, and has the table. Its caller sets the limit. */
  async connect(): Promise<void> {
    await this.#connections.run(async () => {}, { what: 'the connection', within: longestConnect });
  }

  async tryAcquire(claim: Claim): Promise<Grant | Busy> {
    this.#checkOpen();
    if (claim.mode === 'shared') throw exclusiveOnly(claim.key);
    this.#sweeper?.start();
    const about = { what: 'an acquire', claim };
    const token = await this.#connections.run((connection) => this.#store.acquire(connection, claim), about);
    return token === undefined ? this.#busy : { granted: true, token };
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    const renewed = await this.#run((connection) => this.#store.renew(connection, claim, token), {
      what: 'a renewal',
      claim,
    });
    return renewed ? {} : false;
  }

  async release(claim: Claim): Promise<boolean> {
    return await this.#run((connection) => this.#store.release(connection, claim), { what: 'a release', claim });
  }

  async inspect(key: string): Promise<KeyState> {
    return await this.#run((connection) => this.#store.inspect(connection, key), { what: 'an inspection' });
  }

  /** In the order of their bytes: a key that is held throughout is listed. */
  async *list(prefix: string): AsyncIterable<string> {
    let after: string | undefined;
    for (;;) {
      const last = after;
      const keys = await this.#run((connection) => this.#store.list(connection, prefix, last, listBatch), {
        what: 'a list',
      });
      yield* keys;
      if (keys.length < listBatch) return;
      after = keys.at(-1);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#sweeper?.stop();
    if (this.#destroy !== undefined) await this.#deadline.race(this.#destroy(), 'the end of its connections');
    this.#deadline.stop();
  }

  async #run<T>(work: (connection: unknown) => Promise<T>, about: About): Promise<T> {
    this.#checkOpen();
    return await this.#connections.run(work, about);
  }

  async #sweep(after: string): Promise<string | undefined> {
    const step = (connection: unknown): ReturnType<PlainStore['sweep']> =>
      this.#store.sweep(connection, this.#options.tokenRetention, sweepBatch, after);
    try {
      return (await this.#run(step, { what: 'a sweep' })).next;
    } catch (error) {
      // A server that refuses DELETE would write a line into its log each time.
      if (isLockError(error, 'LOCK_MISCONFIGURED')) this.#sweeper?.stop();
      throw error;
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new LockError('LOCK_CLOSED', `The ${this.name} provider is closed.`);
  }
}

function exclusiveOnly(key: string): LockError {
  return new LockError(
    'LOCK_INVALID',
    `${JSON.stringify(key)} cannot be shared: the trait "shared" is false, because option "routines" is false. Take the key exclusively, or migrate the table and leave the option out.`,
    { key },
  );
}
