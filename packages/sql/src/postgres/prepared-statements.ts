import type { RegisterChange } from '@locks/core';
import { DefaultSchema } from '../dialect/layout/default-schema.ts';
import { rendered } from '../dialect/layout/names.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { TransactionOpen } from '../dialect/errors/transaction-open.ts';
import { listedKeys } from '../dialect/stores/listed-keys.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import { looksPerRemoval } from '../dialect/stores/store.ts';
import type { Swept } from '../dialect/stores/store.ts';
import type { ConnectionFacts } from './check-connection.ts';
import type { PgConnection, Reply, Value } from './connection/connection.ts';
import { bytes, firstAfter, registerKey } from './encoding.ts';
import { Sessions, statement } from './connection/session.ts';
import type { Statement } from './connection/session.ts';
import { watchStatus } from './connection/transaction-status.ts';

/** Both kinds of tables have these. */
type Common = 'list' | 'sweep' | 'time';
/** The tables with routines have these. */
type Register = 'readRegister' | 'makeRegister' | 'changeRegister';

type Texts<Name extends string> = Readonly<Record<Name | Common, string>>;

type Prepared<Name extends string> = Readonly<Record<Name | Common, Statement>>;

/** The statements of one store. */
export class TableStatements<Name extends string> {
  /** Where the tables are, and the statements that name them so. */
  readonly schema: DefaultSchema<Prepared<Name>>;
  readonly #sessions: Sessions;
  readonly #timeout: number;
  /** After how many ms the server ends a statement of a connection anyway. */
  readonly #ends = new WeakMap<PgConnection, number>();

  /** `timeout`: how long the server may work on a statement, in ms. */
  constructor(texts: Texts<Name>, names: TableNames, timeout: number) {
    this.schema = new DefaultSchema(names, (known) => prepareAll(texts, known));
    this.#sessions = new Sessions(timeout);
    this.#timeout = Math.ceil(timeout);
  }

  /** The rows that a statement returns. */
  ask(connection: PgConnection, name: Name | Common, ...values: readonly Value[]): Promise<Reply['rows']> {
    return this.#sessions.send(connection, this.schema.made[name], values);
  }

  /** The same, in the schema where this connection finds the tables. */
  askAsConfigured(connection: PgConnection, name: Name): Promise<Reply['rows']> {
    return this.#sessions.send(connection, this.schema.asConfigured[name], []);
  }

  /** Notes what `check` resolves to, which sends the first statements over a new connection. */
  async check(connection: PgConnection, check: () => Promise<ConnectionFacts>): Promise<void> {
    watchStatus(connection);
    try {
      const { endsAfter, readCommitted } = await check();
      this.#ends.set(connection, endsAfter);
      if (!readCommitted) this.#sessions.enclose(connection);
    } catch (error) {
      // What was sent changes nothing.
      throw error instanceof TransactionOpen ? new TransactionOpen(false) : error;
    }
  }

  /** Whether each statement over `connection` is a transaction of several round trips. */
  encloses(connection: PgConnection): boolean {
    return this.#sessions.encloses(connection);
  }

  /**
   * How long a statement may wait for a row, in ms. A claim that took effect after its caller's
   * timeout, or after its ttl, would be a hold without a holder.
   */
  longestWait(ttl: number = Infinity): number {
    return Math.min(this.#timeout, ttl);
  }

  /**
   * The same where `connection` has no such limit itself, else null: to set one takes the server
   * time.
   */
  limitOf(connection: PgConnection, ttl?: number): number | null {
    const most = this.longestWait(ttl);
    return (this.#ends.get(connection) ?? Infinity) <= most ? null : most;
  }

  async list(connection: PgConnection, prefix: string, after: string | undefined, limit: number): Promise<ListedKeys> {
    const from = after === undefined ? bytes(prefix) : Buffer.from(`${after}00`, 'hex');
    const rows = await this.ask(connection, 'list', from, firstAfter(bytes(prefix)), limit);
    return listedKeys(
      rows.map(([key]) => key ?? ''),
      limit,
    );
  }

  async time(connection: PgConnection): Promise<number> {
    const [row] = await this.ask(connection, 'time');
    return Number(row?.[0]);
  }

  async sweep(connection: PgConnection, retention: number, most: number, after: string): Promise<Swept> {
    const from = Buffer.from(after, 'hex');
    const [row] = await this.ask(connection, 'sweep', Math.ceil(retention), most, from, most * looksPerRemoval);
    const removed = Number(row?.[0]);
    // There may be more in this stretch.
    return { removed, next: removed === most ? after : (row?.[1] ?? undefined) };
  }
}

/** Those of the tables with routines. */
export class PreparedStatements<Name extends string> extends TableStatements<Name | Register> {
  async readRegister(connection: PgConnection, name: string): Promise<string | undefined> {
    const [row] = await this.ask(connection, 'readRegister', registerKey(name));
    return row?.[0] ?? undefined;
  }

  async changeRegister(connection: PgConnection, name: string, { from, to }: RegisterChange): Promise<boolean> {
    const [key, text, wait] = [registerKey(name), to ?? null, this.limitOf(connection)];
    const rows =
      from === undefined
        ? await this.ask(connection, 'makeRegister', key, text, wait)
        : await this.ask(connection, 'changeRegister', key, from, text, wait);
    return rows.length > 0;
  }
}

function prepareAll<Name extends string>(texts: Texts<Name>, names: TableNames): Prepared<Name> {
  const all = Object.entries<string>(texts).map(([name, text]) => [name, statement(name, rendered(text, names, '"'))]);
  return Object.fromEntries(all) as Prepared<Name>;
}
