import type { Claim } from '@locks/core';
import type { CallName, LockError } from '@locks/core/adapter';
import { DefaultSchema } from '../dialect/default-schema.ts';
import type { KnexClient } from '../dialect/knex.ts';
import { looksPerRemoval } from '../dialect/lock-store.ts';
import type { Swept } from '../dialect/lock-store.ts';
import type { TableNames } from '../dialect/names.ts';
import { ColumnsCheck, routinesAdded } from '../dialect/plain-columns.ts';
import type { PlainOptions, PlainStore, PlainTable } from '../dialect/plain-store.ts';
import { checkServer } from './check-connection.ts';
import type { MysqlConnection } from './connection.ts';
import { endOf, hex, micros, powerOfTwo } from './encoding.ts';
import { canRepeat, explain, isBroken, isInTransaction, numberOf } from './errors.ts';
import { statements as plainStatements } from './plain-statements.ts';
import { affected, changed, discard, nameOf, rowsOf, textOf } from './session.ts';
import { statements as routineStatements } from './statements.ts';
import { renderAll } from './texts.ts';

const columns = 'key varbinary, version bigint, owner varbinary, held_until bigint';

/** What touches the four columns only is the same in either layout. */
const { renew, sweepStretch } = routineStatements;
const statements = { ...plainStatements, renew, sweepStretch };

type Texts = Readonly<Record<keyof typeof statements, string>>;

/** The number of the error of a row that has fewer columns than the table. */
const otherColumns = 1136;

/** The table of the plain lock in MariaDB and MySQL. */
export const plain: PlainTable = {
  create: plainStatements.table,
  columns,
  async columnsOf(session) {
    const { schema = null, table } = session.names;
    const [row] = await session.rows(plainStatements.checkConnection, schema, table);
    return columnsIn(row);
  },
  createStore: (_client: KnexClient, options: PlainOptions) => new MysqlPlainStore(options),
};

class MysqlPlainStore implements PlainStore<MysqlConnection> {
  readonly name = 'mysql';
  readonly scope = 'network';
  readonly #options: PlainOptions;
  readonly #schema: DefaultSchema;
  readonly #check: ColumnsCheck;
  #texts: Texts;

  constructor(options: PlainOptions) {
    this.#options = options;
    this.#schema = new DefaultSchema(options.names);
    this.#check = new ColumnsCheck(columns, options.names);
    this.#texts = textsOf(options, options.names);
  }

  async checkConnection(connection: MysqlConnection): Promise<void> {
    const { names } = this.#options;
    const values = [names.schema ?? null, names.table];
    const [row = {}] = await rowsOf(connection, this.#texts.checkConnection, values);
    checkServer(row);
    const isPlain = this.#check.isPlain(columnsIn(row));
    if (names.schema === undefined) {
      this.#schema.found(nameOf(row['home']));
      this.#texts = textsOf(this.#options, this.#schema.names);
    }
    if (!isPlain) return;
    // An acquire reads this row. A read that finds none locks the gap where other keys are
    // inserted.
    const found = await rowsOf(connection, this.#texts.findRemoved, []);
    if (found.length === 0) await changed(connection, this.#texts.writeRemoved, []);
  }

  async acquire(connection: MysqlConnection, { key, owner, ttl, floor = 0n }: Claim): Promise<bigint | undefined> {
    const [above, lasts] = [`${floor}`, micros(ttl)];
    const values = [hex(key), above, owner, lasts, owner, above, owner, owner, lasts];
    const token = await changed(connection, this.#texts.acquire, values);
    return token === 0n ? undefined : token;
  }

  async renew(connection: MysqlConnection, { key, owner, ttl }: Claim, token: bigint | undefined): Promise<boolean> {
    const raised = token === undefined ? null : `${token}`;
    const values = [raised, micros(ttl), hex(key), micros(this.#options.timeout), owner, raised];
    return (await changed(connection, this.#texts.renew, values)) !== 0n;
  }

  async release(connection: MysqlConnection, { key, owner }: Claim): Promise<boolean> {
    const values = [hex(key), micros(this.#options.timeout), owner];
    return (await changed(connection, this.#texts.release, values)) !== 0n;
  }

  async inspect(connection: MysqlConnection, key: string): ReturnType<PlainStore['inspect']> {
    const holders = (await rowsOf(connection, this.#texts.inspect, [hex(key)])).map((row) => ({
      owner: textOf(row['owner']),
      mode: 'exclusive' as const,
      token: BigInt(textOf(row['token'])),
      remaining: Number(textOf(row['remaining'])) / 1_000,
    }));
    return { key, holders, waiters: 0 };
  }

  async list(
    connection: MysqlConnection,
    prefix: string,
    after: string | undefined,
    limit: number,
  ): Promise<readonly string[]> {
    // mysql2 sends numbers as doubles, which a limit must not be.
    const text = this.#texts.list.replace('{limit}', `${Math.trunc(limit)}`);
    const rows = await rowsOf(connection, text, [hex(prefix), endOf(prefix), hex(after ?? '')]);
    return rows.map((row) => Buffer.from(textOf(row['key']), 'hex').toString());
  }

  async sweep(connection: MysqlConnection, retention: number, limit: number, after: string): Promise<Swept> {
    const stretch = this.#texts.sweepStretch.replace('{offset}', `${limit * looksPerRemoval - 1}`);
    const [end] = await rowsOf(connection, stretch, [after]);
    const next = end === undefined ? undefined : textOf(end['key']);
    const older = `${await changed(connection, this.#texts.raiseRemoved, [micros(retention), micros(retention)])}`;
    const look = this.#texts.idle.replace('{limit}', `${Math.trunc(limit)}`);
    const keys = (await rowsOf(connection, look, [older, after, next ?? null])).map((row) => textOf(row['key']));
    if (keys.length === 0) return { removed: 0, next };
    const asked = powerOfTwo(keys);
    const text = this.#texts.remove.replace('{keys}', asked.map(() => 'UNHEX(?)').join(', '));
    const removed = await affected(connection, text, [older, ...asked]);
    // There may be more in this stretch.
    return { removed, next: keys.length === limit ? after : next };
  }

  canRepeat(error: unknown): boolean {
    return canRepeat(error);
  }

  isInTransaction(error: unknown): boolean {
    return isInTransaction(error);
  }

  isBroken(error: unknown): boolean {
    return isBroken(error);
  }

  discard(connection: MysqlConnection): void {
    discard(connection);
  }

  explain(error: unknown, what: CallName, claim?: Claim): LockError {
    return numberOf(error) === otherColumns ? routinesAdded(this.#schema.names, error) : explain(error, what, claim);
  }
}

function textsOf(options: PlainOptions, names: TableNames): Texts {
  const inPlace = Object.entries(statements).map(([name, text]) => [
    name,
    text.replaceAll('{now}', plainStatements.now),
  ]);
  return renderAll(Object.fromEntries(inPlace) as Texts, options, names);
}

/** The columns that a row of `check-connection.sql` tells; `undefined` without the table. */
function columnsIn(row: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const found = row?.['columns'] ?? undefined;
  return found === undefined ? undefined : textOf(found);
}
