import { resolve } from 'node:path';
import type { CallName, LockError } from '@locks/core/adapter';
import type { Claim, KeyState } from '@locks/core';
import type { KnexClient } from '../dialect/knex.ts';
import type { Attempt, Line, LockStore, Released, Renewed, StoreOptions, Swept } from '../dialect/lock-store.ts';
import { checkConnection } from './check-connection.ts';
import { hostTime } from './host/clock.ts';
import { epoch } from './host/epoch.ts';
import { numberOf, textOf } from './connection.ts';
import type { Database } from './connection.ts';
import { explain, isBroken, isBusy, isInTransaction } from './errors.ts';
import { LinePace } from './turns/line-pace.ts';
import { attempt, release, renew } from './key/operations.ts';
import type { Rules } from './key/operations.ts';
import { successor } from './key/prefix.ts';
import { KeyRecord } from './key/record.ts';
import { Session } from './session.ts';
import { statements } from './statements.ts';
import { sweep } from './sweep.ts';
import { TurnWatch } from './turns/turn-watch.ts';

/** What belongs to one connection. */
interface Connected {
  readonly session: Session;
  readonly watch: TurnWatch;
}

/** Locks in a SQLite file, for the processes of one host. */
export function createStore(client: KnexClient, options: StoreOptions): LockStore<Database> {
  return new SqliteStore(options, pathOf(client));
}

/** The file that the pool of `client` is configured for. */
export function pathOf({ connectionSettings }: KnexClient): string | undefined {
  const filename = connectionSettings?.filename;
  return typeof filename === 'string' ? resolve(filename) : undefined;
}

/** Ends a transaction that the user of `connection` has left open; its pool closes the connection. */
export function undo(connection: Database): void {
  try {
    // libsql would keep the transaction until the connection is collected.
    connection.exec('ROLLBACK');
  } catch {
    // There was none.
  }
}

/**
 * Whatever it does to the tables it does synchronously: no transaction is ever open while other
 * code runs.
 */
class SqliteStore implements LockStore<Database> {
  readonly name = 'sqlite';
  readonly scope = 'host';
  readonly #options: StoreOptions;
  readonly #rules: Rules;
  /** Weak: a connection that its pool has dropped is closed by the collector. */
  readonly #connected = new WeakMap<Database, Connected>();
  readonly #pace = new LinePace();
  /** For messages. */
  #path: string | undefined;

  /** `path` as the pool is configured: a connection tells it better. */
  constructor(options: StoreOptions, path: string | undefined) {
    this.#options = options;
    this.#path = path;
    const { fair, waiterTtl } = options;
    this.#rules = {
      fair,
      waiterTtl,
      leastToken: (floor) => this.#leastToken(floor),
      placeTaken: () => this.#pace.moved(hostTime()),
    };
  }

  get pollInterval(): number {
    return this.#pace.interval(hostTime());
  }

  async checkConnection(connection: Database): Promise<void> {
    const session = new Session(connection, this.#options.names, statements);
    this.#path = session.path;
    checkConnection(session, this.#options.names);
    this.#connected.set(connection, { session, watch: new TurnWatch(session, this.#pace) });
  }

  async acquireFree(connection: Database, { key, owner, ttl, floor }: Claim): Promise<bigint | undefined> {
    const session = this.#session(connection);
    const row = session.write(() => {
      const now = hostTime();
      const until = now + ttl * 1_000;
      return session.row('acquireFree', { key, owner, until, now, least: this.#leastToken(floor) });
    });
    return row && BigInt(numberOf(row['version']));
  }

  async attempt(connection: Database, claim: Claim, line: Line | undefined): Promise<Attempt> {
    return this.#decide(connection, claim, (record) => attempt(record, claim, line, this.#rules));
  }

  async renew(connection: Database, claim: Claim, token: bigint | undefined): Promise<Renewed> {
    const session = this.#session(connection);
    const { key, owner, ttl } = claim;
    return session.write(() => {
      const now = hostTime();
      const parameters = {
        key,
        owner,
        until: now + ttl * 1_000,
        now,
        token: token === undefined ? null : Number(token),
      };
      if (session.row('renewHeld', parameters) !== undefined) return { renewed: true, turns: [] };
      return renew(new KeyRecord(session, key, now), claim, token);
    });
  }

  async release(connection: Database, claim: Claim): Promise<Released> {
    const session = this.#session(connection);
    const { key, owner } = claim;
    return session.write(() => {
      const now = hostTime();
      if (session.row('releaseHeld', { key, owner, now }) !== undefined) return { freed: true, turns: [] };
      return release(new KeyRecord(session, key, now), claim);
    });
  }

  async inspect(connection: Database, key: string): Promise<KeyState> {
    const session = this.#session(connection);
    const now = hostTime();
    const rows = session.read(() => session.rows('inspect', { key, now }));
    const holders = rows
      .filter(({ mode }) => mode !== null)
      .map(({ mode, owner, token, expires }) => ({
        owner: textOf(owner),
        mode: mode === 'shared' ? ('shared' as const) : ('exclusive' as const),
        token: BigInt(numberOf(token)),
        remaining: Math.ceil((numberOf(expires) - now) / 1_000),
      }));
    return { key, holders, waiters: numberOf(rows.find(({ mode }) => mode === null)?.['token']) };
  }

  async list(
    connection: Database,
    prefix: string,
    after: string | undefined,
    limit: number,
  ): Promise<readonly string[]> {
    const session = this.#session(connection);
    const range = { from: prefix, after: after ?? null, before: successor(prefix) ?? null };
    return session.read(() => session.rows('list', { ...range, now: hostTime(), limit })).map(({ key }) => textOf(key));
  }

  async turns(connection: Database, keys: readonly string[]): Promise<readonly string[]> {
    const { session, watch } = this.#of(connection);
    return session.read(() => watch.look(keys, this.#options.process, hostTime()));
  }

  async sweep(connection: Database, retention: number, limit: number, after: string): Promise<Swept> {
    return await sweep(this.#session(connection), epoch(this.#options.runtime) - retention * 1_000, limit, after);
  }

  canRepeat(error: unknown): boolean {
    return isBusy(error);
  }

  isInTransaction(error: unknown): boolean {
    return isInTransaction(error);
  }

  isBroken(error: unknown): boolean {
    return isBroken(error);
  }

  discard(connection: Database): void {
    this.#connected.delete(connection);
    undo(connection);
  }

  explain(error: unknown, what: CallName, claim?: Claim): LockError {
    return explain(error, this.#path, what, claim);
  }

  #decide<T>(connection: Database, { key }: Claim, decision: (record: KeyRecord) => T): T {
    const session = this.#session(connection);
    return session.write(() => decision(new KeyRecord(session, key, hostTime())));
  }

  #session(connection: Database): Session {
    return this.#of(connection).session;
  }

  #of(connection: Database): Connected {
    const connected = this.#connected.get(connection);
    if (connected === undefined) throw new Error('A connection was used before it was checked.');
    return connected;
  }

  #leastToken(floor: bigint | undefined): number {
    return Math.max(epoch(this.#options.runtime), Number(floor ?? 0n) + 1);
  }
}
