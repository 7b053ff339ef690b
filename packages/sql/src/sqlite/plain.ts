import { setImmediate } from 'node:timers/promises';
import type { Claim } from '@locks/core';
import { tokensEnded } from '@locks/core/adapter';
import type { CallName, LockError, Runtime } from '@locks/core/adapter';
import type { KnexClient } from '../dialect/knex.ts';
import type { Swept } from '../dialect/lock-store.ts';
import type { TableNames } from '../dialect/names.ts';
import { ColumnsCheck, routinesAdded } from '../dialect/plain-columns.ts';
import type { PlainOptions, PlainStore, PlainTable } from '../dialect/plain-store.ts';
import { checkFile } from './check-connection.ts';
import { numberOf, textOf } from './connection.ts';
import type { Database } from './connection.ts';
import { explain, isBroken, isBusy, isInTransaction } from './errors.ts';
import { bootId, hostTime } from './host/clock.ts';
import { epoch } from './host/epoch.ts';
import { noticePlainBoot } from './host/plain-boot.ts';
import { successor } from './key/prefix.ts';
import { statements as plainStatements } from './plain-statements.ts';
import { Session } from './session.ts';
import { statements as routineStatements } from './statements.ts';
import { pathOf, undo } from './store.ts';

const columns = 'key text, version integer, owner text, held_until integer';

const { sweepStretch } = routineStatements;
const statements = { ...plainStatements, sweepStretch };

type PlainSession = Session<keyof typeof statements>;

/** The table of the plain lock in a SQLite file. */
export const plain: PlainTable = {
  create: plainStatements.table,
  columns,
  async columnsOf(session) {
    const [row] = await session.rows(plainStatements.columns.replace(':table', '?'), session.names.table);
    return textOf(row?.['columns']) || undefined;
  },
  createStore: (client: KnexClient, options: PlainOptions) => new SqlitePlainStore(options, pathOf(client)),
};

/** All its work on the table is synchronous: no transaction is ever open while other code runs. */
class SqlitePlainStore implements PlainStore<Database> {
  readonly name = 'sqlite';
  readonly scope = 'host';
  readonly #names: TableNames;
  readonly #check: ColumnsCheck;
  readonly #runtime: Runtime;
  /** Weak: a connection that its pool has dropped is closed by the collector. */
  readonly #sessions = new WeakMap<Database, PlainSession>();
  /** For messages. */
  #path: string | undefined;

  /** `path` as the pool is configured: a connection tells it better. */
  constructor({ names, runtime }: PlainOptions, path: string | undefined) {
    this.#names = names;
    // The schema is a name that this package has made up.
    this.#check = new ColumnsCheck(columns, { ...names, schema: undefined });
    this.#runtime = runtime;
    this.#path = path;
  }

  async checkConnection(connection: Database): Promise<void> {
    const session: PlainSession = new Session(connection, this.#names, statements);
    this.#path = session.path;
    checkFile(session);
    session.write(() => {
      const found = textOf(session.row('columns', { table: this.#names.table })?.['columns']);
      if (this.#check.isPlain(found || undefined)) noticePlainBoot(session, bootId(), hostTime());
    });
    this.#sessions.set(connection, session);
  }

  async acquire(connection: Database, claim: Claim): Promise<bigint | undefined> {
    const { key, owner, ttl, floor = 0n } = claim;
    const session = this.#session(connection);
    const others = { key, owner, now: hostTime() };
    if (session.read(() => session.row('heldByOthers', others)) !== undefined) return undefined;
    const row = this.#write(session, (now) => {
      const least = Math.max(epoch(this.#runtime), Number(floor) + 1);
      const taken = session.row('acquire', { key, owner, until: now + ttl * 1_000, now, least });
      // Thrown within the transaction, which undoes what it has written.
      if (taken !== undefined && numberOf(taken['ended']) !== 0) throw tokensEnded(claim);
      return taken;
    });
    return row && BigInt(numberOf(row['version']));
  }

  async renew(connection: Database, { key, owner, ttl }: Claim, token: bigint | undefined): Promise<boolean> {
    const session = this.#session(connection);
    const raised = token === undefined ? null : Number(token);
    return this.#write(session, (now) => {
      const until = now + ttl * 1_000;
      return session.row('renew', { key, owner, until, now, token: raised }) !== undefined;
    });
  }

  async release(connection: Database, { key, owner }: Claim): Promise<boolean> {
    const session = this.#session(connection);
    return this.#write(session, (now) => session.row('release', { key, owner, now }) !== undefined);
  }

  async inspect(connection: Database, key: string): ReturnType<PlainStore['inspect']> {
    const session = this.#session(connection);
    const now = hostTime();
    const holders = session
      .read(() => session.rows('inspect', { key, now }))
      .map((row) => ({
        owner: textOf(row['owner']),
        mode: 'exclusive' as const,
        token: BigInt(numberOf(row['version'])),
        remaining: Math.ceil((numberOf(row['held_until']) - now) / 1_000),
      }));
    return { key, holders, waiters: 0 };
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

  /** Looks at `limit` rows. It takes a few ms, in which no other process writes. */
  async sweep(connection: Database, retention: number, limit: number, after: string): Promise<Swept> {
    const session = this.#session(connection);
    const last = session.read(() => session.row('sweepStretch', { after, length: limit - 1 })?.['key']);
    const next = last === undefined ? undefined : textOf(last);
    const stretch = { after, to: next ?? null, older: epoch(this.#runtime) - retention * 1_000 };
    const some = session.read(() => session.row('removable', { ...stretch, now: hostTime() })) !== undefined;
    const removed = some ? this.#remove(session, stretch) : 0;
    // The process has done nothing else meanwhile, and the next step may follow at once.
    await setImmediate();
    return { removed, next };
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
    this.#sessions.delete(connection);
    undo(connection);
  }

  explain(error: unknown, what: CallName, claim?: Claim): LockError {
    const added = error instanceof Error && error.message.includes('columns but 4 values were supplied');
    return added
      ? routinesAdded({ ...this.#names, schema: undefined }, error)
      : explain(error, this.#path, what, claim);
  }

  #remove(
    session: PlainSession,
    stretch: { readonly [name in 'after' | 'to' | 'older']: string | number | null },
  ): number {
    return this.#write(session, (now) => {
      session.run('raiseRemoved', { older: stretch.older });
      return session.rows('remove', { ...stretch, now }).length;
    });
  }

  /** What `work` returns, in one transaction. `now` is read after it has begun. */
  #write<T>(session: PlainSession, work: (now: number) => T): T {
    return session.write(() => {
      const now = hostTime();
      const result = work(now);
      // Where boots have no name, the latest write tells them apart.
      if (bootId() === undefined) session.run('touchHost', { now });
      return result;
    });
  }

  #session(connection: Database): PlainSession {
    const session = this.#sessions.get(connection);
    if (session === undefined) throw new Error('A connection was used before it was checked.');
    return session;
  }
}
