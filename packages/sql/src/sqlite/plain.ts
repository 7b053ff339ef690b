import { setImmediate } from 'node:timers/promises';
import type { Claim, RegisterChange } from '@locks/core';
import { tokensEnded } from '@locks/core/adapter';
import type { CallName, LockError } from '@locks/core/adapter';
import type { SqlClient } from '../clients/client.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import { ColumnsCheck, routinesAdded } from '../dialect/stores/plain-columns.ts';
import type { PlainOptions, PlainStore, PlainTable } from '../dialect/stores/plain-store.ts';
import type { Swept } from '../dialect/stores/store.ts';
import { checkFile } from './connection/check-connection.ts';
import { numberOf, textOf } from './connection/connection.ts';
import type { Database } from './connection/connection.ts';
import { explain } from './errors.ts';
import { bootId, hostTime } from './host/clock.ts';
import { epoch, leastToken } from './host/epoch.ts';
import { noticePlainBoot } from './host/plain-boot.ts';
import { changeRegister, readRegister } from './registers.ts';
import { statements as plainStatements } from './plain-statements.ts';
import type { Session } from './connection/session.ts';
import { statements as routineStatements } from './statements.ts';
import { StoreSessions } from './store-sessions.ts';

const columns = 'key text, version integer, owner text, held_until integer';

const { sweepStretch, readRegister: read, writeRegister, removeRegister } = routineStatements;
const statements = { ...plainStatements, sweepStretch, readRegister: read, writeRegister, removeRegister };

type Name = keyof typeof statements;

/** The table of the plain lock in a SQLite file. */
export const plain: PlainTable = {
  create: plainStatements.table,
  columns,
  async columnsOf(session) {
    const [row] = await session.rows(plainStatements.columns.replace(':table', '?'), session.names.table);
    return textOf(row?.['columns']) || undefined;
  },
  createStore: (client: SqlClient, options: PlainOptions) => new SqlitePlainStore(client, options),
};

/** All its work on the table is synchronous: no transaction is ever open while other code runs. */
class SqlitePlainStore implements PlainStore<Database> {
  readonly #options: PlainOptions;
  readonly #check: ColumnsCheck;
  readonly #sessions: StoreSessions<Name>;

  constructor(client: SqlClient, options: PlainOptions) {
    this.#options = options;
    this.#sessions = new StoreSessions(statements, options.names, client);
    // The schema is a name that this package has made up.
    this.#check = new ColumnsCheck(columns, { ...options.names, schema: undefined });
  }

  async checkConnection(connection: Database): Promise<void> {
    const session = this.#sessions.open(connection);
    checkFile(session);
    session.write(() => {
      const found = textOf(session.row('columns', { table: this.#options.names.table })?.['columns']);
      if (this.#check.isPlain(found || undefined)) noticePlainBoot(session, bootId(), hostTime());
    });
  }

  async acquire(connection: Database, claim: Claim): Promise<bigint | undefined> {
    const { key, owner, ttl, floor } = claim;
    const session = this.#sessions.of(connection);
    const others = { key, owner, now: hostTime() };
    if (session.read(() => session.row('heldByOthers', others)) !== undefined) return undefined;
    const row = this.#write(session, (now) => {
      const least = leastToken(this.#options.runtime, floor);
      const taken = session.row('acquire', { key, owner, until: now + ttl * 1_000, now, least });
      // Thrown within the transaction, which undoes what it has written.
      if (taken !== undefined && numberOf(taken['ended']) !== 0) throw tokensEnded(claim);
      return taken;
    });
    return row && BigInt(numberOf(row['version']));
  }

  async renew(connection: Database, { key, owner, ttl }: Claim, token: bigint | undefined): Promise<boolean> {
    const session = this.#sessions.of(connection);
    const raised = token === undefined ? null : Number(token);
    return this.#write(session, (now) => {
      const until = now + ttl * 1_000;
      return session.row('renew', { key, owner, until, now, token: raised }) !== undefined;
    });
  }

  async release(connection: Database, { key, owner }: Claim): Promise<boolean> {
    const session = this.#sessions.of(connection);
    return this.#write(session, (now) => session.row('release', { key, owner, now }) !== undefined);
  }

  async inspect(connection: Database, key: string): ReturnType<PlainStore['inspect']> {
    const session = this.#sessions.of(connection);
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

  /** The processes of one host have one wall clock. */
  async time(): Promise<number> {
    return Math.floor(epoch(this.#options.runtime) / 1_000);
  }

  list(...args: Parameters<PlainStore<Database>['list']>): Promise<ListedKeys> {
    return this.#sessions.list(...args);
  }

  async readRegister(connection: Database, name: string): Promise<string | undefined> {
    return readRegister(this.#sessions.of(connection), name);
  }

  async changeRegister(connection: Database, name: string, change: RegisterChange): Promise<boolean> {
    return changeRegister(this.#sessions.of(connection), name, change);
  }

  /** Looks at `limit` rows. It takes a few ms, in which no other process writes. */
  async sweep(connection: Database, retention: number, limit: number, after: string): Promise<Swept> {
    const session = this.#sessions.of(connection);
    const last = session.read(() => session.row('sweepStretch', { after, length: limit - 1 })?.['key']);
    const next = last === undefined ? undefined : textOf(last);
    const stretch = { after, to: next ?? null, older: epoch(this.#options.runtime) - retention * 1_000 };
    const some = session.read(() => session.row('removable', { ...stretch, now: hostTime() })) !== undefined;
    const removed = some ? this.#remove(session, stretch) : 0;
    // The process has done nothing else meanwhile, and the next step may follow at once.
    await setImmediate();
    return { removed, next };
  }

  explain(error: unknown, what: CallName, claim?: Claim): LockError {
    const added = error instanceof Error && error.message.includes('columns but 4 values were supplied');
    return added
      ? routinesAdded({ ...this.#options.names, schema: undefined }, error)
      : explain(error, this.#sessions.path, what, claim);
  }

  #remove(
    session: Session<Name>,
    stretch: { readonly [name in 'after' | 'to' | 'older']: string | number | null },
  ): number {
    return this.#write(session, (now) => {
      session.run('raiseRemoved', { older: stretch.older });
      return session.rows('remove', { ...stretch, now }).length;
    });
  }

  /** What `work` returns, in one transaction. `now` is read after it has begun. */
  #write<T>(session: Session<Name>, work: (now: number) => T): T {
    return session.write(() => {
      const now = hostTime();
      const result = work(now);
      // Another process may not be able to tell boots apart.
      session.run('touchHost', { now });
      return result;
    });
  }
}
