import { LockError, Places, createDeadline, isLockError } from '@locks/core/adapter';
import type { Deadline, Place, Runtime } from '@locks/core/adapter';
import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import { Connections } from './connections/connections.ts';
import type { LockStore as Dialect, Turn } from './dialect/lock-store.ts';
import { NotifyChannel } from './notify-channel.ts';
import type { ReadSqlOptions } from './options/provider-options.ts';
import { Poller } from './poller.ts';
import { Sweeper, sweepBatch } from './sweep/sweeper.ts';
import { WakeReports } from './wake-reports.ts';
import type { KnexClient } from './dialect/knex.ts';
import type { Wakes } from './wakes.ts';

/** More than whoever connects waits, in ms. */
const longestConnect = 3_600_000;

/** What a provider is made of. */
export interface SqlProviderParts {
  readonly client: KnexClient;
  readonly dialect: Dialect;
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
  readonly #dialect: Dialect;
  readonly #runtime: Runtime;
  readonly #options: ReadSqlOptions;
  readonly #process: string;
  readonly #deadline: Deadline;
  readonly #connections: Connections<unknown>;
  readonly #places: Places;
  readonly #wakes: Wakes;
  readonly #sweeper: Sweeper | undefined;
  readonly #destroy: (() => Promise<unknown>) | undefined;
  #closed = false;

  constructor({ client, dialect, options, runtime, process, destroy }: SqlProviderParts) {
    const { fair, timeout, waiterTtl, tokenRetention } = options;
    this.name = dialect.name;
    this.traits = { scope: dialect.scope, expiry: 'ttl', fencing: 'clock-bounded', fair, shared: true, wake: true };
    this.#dialect = dialect;
    this.#runtime = runtime;
    this.#options = options;
    this.#process = process;
    this.#destroy = destroy;
    this.#deadline = createDeadline(runtime, timeout, dialect.name);
    this.#connections = new Connections(client, dialect, this.#deadline, runtime, timeout);
    this.#places = new Places(waiterTtl / 3);
    const poller = new Poller(
      this.#places,
      runtime,
      // The first in line, doubted by the next, keeps its place if it comes within a sixth.
      () => Math.min(options.pollInterval ?? dialect.pollInterval, waiterTtl / 12),
      (keys) => this.#connections.run((connection) => dialect.turns(connection, keys), { what: 'a look at the line' }),
    );
    this.#wakes =
      dialect.listen === undefined
        ? poller
        : new NotifyChannel({
            listen: dialect.listen,
            echo: () => this.#connections.run(async (connection) => dialect.echo?.(connection), { what: 'an echo' }),
            places: this.#places,
            poller,
            deadline: this.#deadline,
            runtime,
            probeEvery: waiterTtl / 3,
            reports: new WakeReports(dialect.name),
          });
    this.#sweeper = options.sweep ? new Sweeper(runtime, tokenRetention, (after) => this.#sweep(after)) : undefined;
  }

  /** Resolves when the database answers, and has the tables. Whoever calls it sets the limit. */
  async connect(): Promise<void> {
    await this.#connections.run(async () => {}, { what: 'the connection', within: longestConnect });
  }

  async tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    this.#checkOpen();
    this.#sweeper?.start();
    if (wake === undefined) return (await this.#attemptFree(claim)) ?? (await this.#attempt(claim, undefined));
    const now = this.#runtime.clock.now();
    // Where others of this process wait, the key is not free. A process whose locks are always free needs no wakes.
    const answer = this.#places.waitsFor(claim.key) ? undefined : await this.#withoutLine(claim);
    if (answer?.granted) return answer;
    this.#checkOpen();
    const place = this.#places.take(claim.key, claim.owner, claim.owner, wake);
    const quietFor = this.#places.quietFor(place, now);
    if (quietFor !== undefined) return { granted: false, retryAfter: quietFor };
    try {
      const lined = await this.#inLine(claim, place, now + this.#options.timeout);
      if (lined.granted) this.#places.leave(claim.owner);
      else this.#wakes.probe();
      return lined;
    } catch (error) {
      // A claim that was refused for good, or has left nothing, is not released.
      const inDoubt = isLockError(error, 'LOCK_UNAVAILABLE') && (error.sent !== false || place.shownAt !== undefined);
      if (!inDoubt) this.#places.leave(claim.owner);
      throw error;
    }
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const { renewed, turns } = await this.#connections.run(
      (connection) => this.#dialect.renew(connection, claim, token),
      { what: 'a renewal', claim },
    );
    this.#tell(turns);
    return renewed ? {} : false;
  }

  async release(claim: Claim): Promise<boolean> {
    this.#places.leave(claim.owner);
    this.#checkOpen();
    const { freed, turns } = await this.#connections.run((connection) => this.#dialect.release(connection, claim), {
      what: 'a release',
      claim,
    });
    this.#tell(turns);
    return freed;
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    return await this.#connections.run((connection) => this.#dialect.inspect(connection, key), {
      what: 'an inspection',
    });
  }

  /** In the order of their bytes, a thousand at a time: a key that is held or waited for throughout is listed. */
  async *list(prefix: string): AsyncIterable<string> {
    const limit = 1_000;
    let after: string | undefined;
    for (;;) {
      this.#checkOpen();
      const last = after;
      const keys = await this.#connections.run((connection) => this.#dialect.list(connection, prefix, last, limit), {
        what: 'a list',
      });
      yield* keys;
      if (keys.length < limit) return;
      after = keys.at(-1);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#places.close();
    this.#sweeper?.stop();
    this.#wakes.close(this.#closedError());
    if (this.#destroy !== undefined) await this.#deadline.race(this.#destroy(), 'the end of its connections');
    this.#deadline.stop();
  }

  /** One statement; a shared claim, and one that has a place in line, is not that simple. */
  async #attemptFree(claim: Claim): Promise<Grant | undefined> {
    if (claim.mode === 'shared') return undefined;
    const token = await this.#connections.run((connection) => this.#dialect.acquireFree(connection, claim), {
      what: 'an acquire',
      claim,
    });
    return token === undefined ? undefined : { granted: true, token };
  }

  /** An attempt before there is a place in line; `undefined`: the next attempt decides. */
  async #withoutLine(claim: Claim): Promise<Grant | Busy | undefined> {
    const free = await this.#attemptFree(claim);
    if (free !== undefined || this.#wakes.open) return free;
    return claim.mode === 'shared' ? await this.#attempt(claim, undefined) : undefined;
  }

  /** A place in line that nobody can be told of is worth nothing: without wakes the answer is `busy`, to poll by. */
  async #inLine(claim: Claim, place: Place, end: number): Promise<Grant | Busy> {
    const left = (): number => end - this.#runtime.clock.now();
    if (!this.#wakes.open) {
      try {
        await this.#deadline.race(this.#wakes.start(), 'the start of the wake channel', left());
      } catch (error) {
        if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
        return { granted: false, retryAfter: this.#options.waiterTtl / 24 };
      }
    }
    return await this.#attempt(claim, place, Math.max(1, left()));
  }

  /** One attempt; with a `place`, it is taken or kept. */
  async #attempt(claim: Claim, place: Place | undefined, within?: number): Promise<Grant | Busy> {
    const sentAt = this.#runtime.clock.now();
    const others = place === undefined ? [] : this.#places.shownWith(place, sentAt);
    const line =
      place === undefined ? undefined : { process: this.#process, others: others.map(({ waiter }) => waiter) };
    const attempt = await this.#connections.run((connection) => this.#dialect.attempt(connection, claim, line), {
      what: 'an acquire',
      claim,
      within,
    });
    this.#places.kept(others, sentAt, this.#runtime.clock.now());
    this.#tell(attempt.turns);
    if (attempt.token !== undefined) return { granted: true, token: attempt.token };
    if (place !== undefined) this.#places.shown(place, attempt.retryAfter, sentAt, this.#runtime.clock.now());
    return { granted: false, retryAfter: attempt.retryAfter };
  }

  /** Those of this process need no message; never synchronously. */
  #tell(turns: readonly Turn[]): void {
    for (const { process, owner } of turns) {
      if (process === this.#process) queueMicrotask(() => this.#places.wake(owner));
    }
  }

  async #sweep(after: string): Promise<string | undefined> {
    const { next } = await this.#connections.run(
      (connection) => this.#dialect.sweep(connection, this.#options.tokenRetention, sweepBatch, after),
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
