import type { RegisterChange } from '@locks/core';
import { DefaultSchema } from '../dialect/layout/default-schema.ts';
import { rendered } from '../dialect/layout/names.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { listedKeys } from '../dialect/stores/listed-keys.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import { looksPerRemoval } from '../dialect/stores/store.ts';
import type { MysqlConnection, Row, Value } from './connection/connection.ts';
import { endOf, hex, micros, registerKey } from './encoding.ts';
import { affected, changed, rowsOf, rowsOfText, textOf } from './connection/session.ts';
import { statements as routineStatements } from './statements.ts';

/** Both kinds of tables have these. */
type Common = 'list' | 'sweepStretch';
/** The tables with routines have these. */
type Register = 'readRegister' | 'makeRegister' | 'changeRegister';

type Texts<Name extends string> = Readonly<Record<Name | Common, string>>;

/** What a statement has in place of `{name}`, by name: what no `?` can stand for. */
type Blanks = Readonly<Record<string, string>>;

/** The statements of one store. They name the database of the tables as soon as it is known. */
export class TableStatements<Name extends string> {
  readonly #all: Texts<Name>;
  readonly #schema: DefaultSchema;
  readonly #timeout: number;
  #texts: Texts<Name>;

  /** `timeout`: how long the server may work on a statement, in ms. */
  constructor(all: Texts<Name>, names: TableNames, timeout: number) {
    this.#all = all;
    this.#schema = new DefaultSchema(names);
    this.#timeout = timeout;
    this.#texts = renderAll(all, names, timeout);
  }

  /** The names of the tables, with their database as far as it is known. */
  get names(): TableNames {
    return this.#schema.names;
  }

  /**
   * Notes in which database a new connection has found the tables. `undefined`: in none.
   * @throws `LOCK_MISCONFIGURED` for another database than that of the first connection.
   */
  foundIn(database: string | undefined): void {
    const { names } = this;
    this.#schema.found(database);
    if (this.names !== names) this.#texts = renderAll(this.#all, this.names, this.#timeout);
  }

  /** The rows of a query, or the first ones of a procedure. */
  rows(
    connection: MysqlConnection,
    name: Name | Common,
    values: readonly Value[],
    blanks?: Blanks,
  ): Promise<readonly Row[]> {
    return rowsOf(connection, filled(this.#texts[name], blanks), values);
  }

  /** A statement without an answer, which is not prepared: not every server can. */
  async say(connection: MysqlConnection, name: Name, blanks: Blanks): Promise<void> {
    await rowsOfText(connection, filled(this.#texts[name], blanks));
  }

  /** The rows of a query that a connection is asked once, so it is not prepared. */
  rowsOnce(connection: MysqlConnection, name: Name, values: readonly Value[]): Promise<readonly Row[]> {
    return rowsOfText(connection, this.#texts[name], values);
  }

  /** The number that a statement leaves by LAST_INSERT_ID; 0: it changed no row. */
  changed(connection: MysqlConnection, name: Name, values: readonly Value[]): Promise<bigint> {
    return changed(connection, this.#texts[name], values);
  }

  /** How many rows a statement changed. */
  affected(
    connection: MysqlConnection,
    name: Name | Common,
    values: readonly Value[],
    blanks?: Blanks,
  ): Promise<number> {
    return affected(connection, filled(this.#texts[name], blanks), values);
  }

  /**
   * How long a statement may have waited for its row, in µs. A claim that took effect after its
   * caller's timeout, or after its ttl, would be a hold without a holder.
   */
  longestWait(ttl: number = Infinity): string {
    return micros(Math.min(this.#timeout, ttl));
  }

  /** At most `limit` keys with this prefix, after the key `after`, which is in hexadecimal. */
  async list(
    connection: MysqlConnection,
    prefix: string,
    after: string | undefined,
    limit: number,
  ): Promise<ListedKeys> {
    const values = [hex(prefix), endOf(prefix), after ?? ''];
    const rows = await this.rows(connection, 'list', values, { limit: whole(limit) });
    return listedKeys(
      rows.map((row) => textOf(row['key'])),
      limit,
    );
  }

  /**
   * The last key, in hexadecimal, that a step of a sweep looks at after the key `after`.
   * `undefined`: it looks at all keys that are left.
   */
  async endOfStretch(connection: MysqlConnection, after: string, limit: number): Promise<string | undefined> {
    const offset = `${limit * looksPerRemoval - 1}`;
    const [end] = await this.rows(connection, 'sweepStretch', [after], { offset });
    return end === undefined ? undefined : textOf(end['key']);
  }
}

/** Those of the tables with routines. */
export class PreparedStatements<Name extends string> extends TableStatements<Name | Register> {
  async readRegister(connection: MysqlConnection, name: string): Promise<string | undefined> {
    const [row] = await this.rows(connection, 'readRegister', [registerKey(name)]);
    return row && textOf(row['owner']);
  }

  /** `false`: it had another text than `from`. */
  async changeRegister(connection: MysqlConnection, name: string, change: RegisterChange): Promise<boolean> {
    const [key, from, to] = [registerKey(name), change.from ?? null, change.to ?? null];
    if (from === null) await this.affected(connection, 'makeRegister', [key]);
    return (await this.affected(connection, 'changeRegister', [to, to, key, this.longestWait(), from])) > 0;
  }
}

/** A number as part of a statement: mysql2 sends values as doubles, which a limit must not be. */
export function whole(limit: number): string {
  return `${Math.trunc(limit)}`;
}

function filled(text: string, blanks: Blanks | undefined): string {
  if (blanks === undefined) return text;
  return Object.entries(blanks).reduce((sql, [name, value]) => sql.replace(`{${name}}`, value), text);
}

function renderAll<Name extends string>(all: Texts<Name>, names: TableNames, timeout: number): Texts<Name> {
  const { clock, elapsed } = routineStatements;
  const seconds = `${Math.ceil(timeout / 1_000)}`;
  const made = Object.entries<string>(all).map(([name, text]) => {
    const sql = text.replaceAll('{clock}', clock).replaceAll('{elapsed}', elapsed).replaceAll('{seconds}', seconds);
    return [name, rendered(sql, names, '`')];
  });
  return Object.fromEntries(made) as Texts<Name>;
}
