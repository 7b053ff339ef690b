import type { RegisterChange } from '@locks/core';
import { DefaultSchema } from '../dialect/layout/default-schema.ts';
import { rendered } from '../dialect/layout/names.ts';
import type { TableNames } from '../dialect/layout/names.ts';
import { listedKeys } from '../dialect/stores/listed-keys.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import { looksPerRemoval } from '../dialect/stores/store.ts';
import type { MysqlConnection, Row, Value } from './connection/connection.ts';
import { endOf, hex, micros, registerKey } from './encoding.ts';
import { affected, rowsOf, textOf } from './connection/session.ts';
import { statements as routineStatements } from './statements.ts';

/** Both kinds of tables have these. */
type Common = 'list' | 'sweepStretch' | 'time';
/** The tables with routines have these. */
type Register = 'readRegister' | 'makeRegister' | 'changeRegister';

type Texts<Name extends string> = Readonly<Record<Name | Common, string>>;

/** The statements of one store. */
export class TableStatements<Name extends string> {
  /** Where the tables are, and the statements that name them so. */
  readonly schema: DefaultSchema<Texts<Name>>;
  readonly #timeout: number;

  /** `timeout`: how long the server may work on a statement, in ms. */
  constructor(texts: Texts<Name>, names: TableNames, timeout: number) {
    this.schema = new DefaultSchema(names, (known) => renderAll(texts, known, timeout));
    this.#timeout = timeout;
  }

  /** A statement. It has `blanks` in place of `{name}`, by name: what no `?` can stand for. */
  text(name: Name | Common, blanks: Readonly<Record<string, string>> = {}): string {
    const text: string = this.schema.made[name];
    return Object.entries(blanks).reduce((sql, [blank, value]) => sql.replace(`{${blank}}`, value), text);
  }

  /** The rows of a query, or the first ones of a procedure. */
  rows(
    connection: MysqlConnection,
    name: Name | Common,
    values: readonly Value[],
    blanks?: Readonly<Record<string, string>>,
  ): Promise<readonly Row[]> {
    return rowsOf(connection, this.text(name, blanks), values);
  }

  /**
   * How long a statement may have waited for its row, in µs. A claim that took effect after its
   * caller's timeout, or after its ttl, would be a hold without a holder.
   */
  longestWait(ttl: number = Infinity): string {
    return micros(Math.min(this.#timeout, ttl));
  }

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

  async time(connection: MysqlConnection): Promise<number> {
    const [row] = await this.rows(connection, 'time', []);
    return Number(textOf(row?.['time']));
  }
}

/** Those of the tables with routines. */
export class PreparedStatements<Name extends string> extends TableStatements<Name | Register> {
  async readRegister(connection: MysqlConnection, name: string): Promise<string | undefined> {
    const [row] = await this.rows(connection, 'readRegister', [registerKey(name)]);
    return row && textOf(row['owner']);
  }

  async changeRegister(connection: MysqlConnection, name: string, change: RegisterChange): Promise<boolean> {
    const [key, from, to] = [registerKey(name), change.from ?? null, change.to ?? null];
    if (from === null) await affected(connection, this.text('makeRegister'), [key]);
    return (await affected(connection, this.text('changeRegister'), [to, to, key, this.longestWait(), from])) > 0;
  }
}

/** A number as part of a statement: mysql2 sends values as doubles, which a limit must not be. */
export function whole(limit: number): string {
  return `${Math.trunc(limit)}`;
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
