import type { CallName, FoundTurn, LockError } from '@locks/core/adapter';
import type { Claim, KeyState, RegisterChange } from '@locks/core';
import type { SqlClient } from '../clients/client.ts';
import { toKeyState } from '../dialect/stores/key-state.ts';
import type {
  Attempt,
  Line,
  LockStore,
  Released,
  Renewed,
  StoreListening,
  StoreOptions,
} from '../dialect/stores/lock-store.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import type { Swept } from '../dialect/stores/store.ts';
import { checkConnection } from './connection/check-connection.ts';
import { hostTime } from './host/clock.ts';
import { epoch, leastToken } from './host/epoch.ts';
import { numberOf, numberOrNone, textOf } from './connection/connection.ts';
import type { Database } from './connection/connection.ts';
import { explain } from './errors.ts';
import { LinePace, slowestPace } from './turns/line-pace.ts';
import { attempt, release, renew } from './key/operations.ts';
import type { Rules } from './key/operations.ts';
import type { StatementName } from './connection/session.ts';
import { changeRegister, readRegister } from './registers.ts';
import { statements } from './statements.ts';
import { StoreSessions } from './store-sessions.ts';
import { sweep } from './sweep.ts';
import { TurnWatch } from './turns/turn-watch.ts';
import { watchWakeFile } from './wakes/watch-wake-file.ts';
import { touchWakeFile } from './wakes/wake-file.ts';

/** Locks in a SQLite file, for the processes of one host. */
export function createStore(client: SqlClient, options: StoreOptions): LockStore<Database> {
  return new SqliteStore(client, options);
}

/**
 * Whatever it does to the tables it does synchronously: no transaction is ever open while other
 * code runs.
 */
class SqliteStore implements LockStore<Database> {
  readonly #options: StoreOptions;
  readonly #rules: Rules;
  readonly #sessions: StoreSessions<StatementName>;
  /** By connection. */
  readonly #watches = new WeakMap<Database, TurnWatch>();
  readonly #pace = new LinePace();
  readonly listening: StoreListening<Database> | undefined;

  constructor(client: SqlClient, options: StoreOptions) {
    this.#options = options;
    this.#sessions = new StoreSessions(statements, options.names, client);
    const { waiterTtl, runtime } = options;
    this.#rules = {
      waiterTtl,
      leastToken: () => epoch(runtime),
      // As on Redis: a shorter hold could end before its claim finds it, and has no place any more.
      assigns: ({ mode, ttl }) => mode === 'exclusive' && ttl * 2 >= waiterTtl,
      placeTaken: () => this.#pace.moved(hostTime()),
    };
    this.listening = options.listen ? this.#listening(options.process) : undefined;
  }

  get pollInterval(): number {
    return this.#pace.interval(hostTime());
  }

  async checkConnection(connection: Database): Promise<void> {
    const session = this.#sessions.open(connection);
    checkConnection(session, this.#options.names);
    this.#watches.set(connection, new TurnWatch(session, this.#pace));
  }

  async acquireFree(connection: Database, claim: Claim): Promise<bigint | undefined> {
    const session = this.#sessions.of(connection);
    const { key, owner, ttl, floor } = claim;
    return session.write(() => {
      const now = hostTime();
      const until = now + ttl * 1_000;
      const least = leastToken(this.#options.runtime, floor);
      const row = session.row('acquireFree', { key, owner, until, now, least });
      return row && BigInt(numberOf(row['version']));
    });
  }

  async attempt(connection: Database, claim: Claim, line: Line | undefined, repeated: boolean): Promise<Attempt> {
    const session = this.#sessions.of(connection);
    return session.write(() => attempt(session, claim, { line, repeated, now: hostTime() }, this.#rules));
  }

  async renew(connection: Database, claim: Claim, token: bigint | undefined): Promise<Renewed> {
    const session = this.#sessions.of(connection);
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
      return renew(session, claim, token, now, this.#rules);
    });
  }

  async release(connection: Database, claim: Claim, waits: boolean): Promise<Released> {
    const session = this.#sessions.of(connection);
    const { key, owner } = claim;
    return session.write(() => {
      const now = hostTime();
      // With a line it would do nothing.
      const alone = waits ? undefined : session.row('releaseHeld', { key, owner, now });
      if (alone !== undefined) return { freed: true, turns: [] };
      return release(session, claim, now, this.#rules);
    });
  }

  async inspect(connection: Database, key: string): Promise<KeyState> {
    const session = this.#sessions.of(connection);
    const now = hostTime();
    const rows = session.read(() => session.rows('inspect', { key, now }));
    return toKeyState(
      key,
      rows.map(({ mode, owner, permits, token, expires }) => ({
        mode: textOf(mode),
        owner: owner === null ? '' : textOf(owner),
        permits: numberOrNone(permits) ?? 0,
        token: BigInt(numberOf(token)),
        remaining: Math.ceil((numberOf(expires ?? now) - now) / 1_000),
      })),
    );
  }

  /** The processes of one host have one wall clock. */
  async time(): Promise<number> {
    return Math.floor(epoch(this.#options.runtime) / 1_000);
  }

  list(...args: Parameters<LockStore<Database>['list']>): Promise<ListedKeys> {
    return this.#sessions.list(...args);
  }

  async readRegister(connection: Database, name: string): Promise<string | undefined> {
    return readRegister(this.#sessions.of(connection), name);
  }

  async changeRegister(connection: Database, name: string, change: RegisterChange): Promise<boolean> {
    return changeRegister(this.#sessions.of(connection), name, change);
  }

  async turns(connection: Database, keys: readonly string[]): Promise<readonly FoundTurn[]> {
    const look = (): readonly FoundTurn[] =>
      this.#watches.get(connection)?.look(keys, this.#options.process, hostTime()) ?? [];
    return this.#sessions.of(connection).read(look);
  }

  async sweep(connection: Database, retention: number, limit: number, after: string): Promise<Swept> {
    return await sweep(this.#sessions.of(connection), epoch(this.#options.runtime) - retention * 1_000, limit, after);
  }

  explain(error: unknown, what: CallName, claim?: Claim): LockError {
    return explain(error, this.#sessions.path, what, claim);
  }

  wake(process: string): void {
    try {
      touchWakeFile(this.#file, process);
    } catch {
      // That process polls, has ended, or is of a user whose files this one cannot write.
    }
  }

  #listening(process: string): StoreListening<Database> {
    return {
      listen: async (heard, lost) => watchWakeFile(this.#file, process, () => heard(''), lost),
      echo: async () => touchWakeFile(this.#file, process),
      unheard: 'the file system tells no changes of files; set option "listen" to false',
      lookInterval: slowestPace,
    };
  }

  /** Known since the first connection, over which a claim was sent before one waits. */
  get #file(): string {
    return this.#sessions.path ?? '';
  }
}
