import type { Claim, RegisterChange } from '@locks/core';
import type { CallName, LockError } from '@locks/core/adapter';
import type { SqlClient } from '../clients/client.ts';
import type { ListedKeys } from '../dialect/stores/listed-keys.ts';
import { ColumnsCheck, routinesAdded } from '../dialect/stores/plain-columns.ts';
import type { TableNames } from '../dialect/names.ts';
import type { PlainOptions, PlainStore, PlainTable } from '../dialect/stores/plain-store.ts';
import type { Swept } from '../dialect/stores/store.ts';
import { checkServer } from './connection/check-connection.ts';
import type { MysqlConnection } from './connection/connection.ts';
import { hex, micros, placesOf, powerOfTwo } from './encoding.ts';
import { explain, numberOf } from './errors.ts';
import { statements as plainStatements } from './plain-statements.ts';
import { PreparedStatements, whole } from './prepared-statements.ts';
import { nameOf, textOf } from './connection/session.ts';
import { statements as routineStatements } from './statements.ts';

const columns = 'key varbinary, version bigint, owner varbinary, held_until bigint';

/** What touches the four columns only is the same in either layout. */
const { renew, sweepStretch, time, readRegister, makeRegister, changeRegister } = routineStatements;
const registers = { readRegister, makeRegister, changeRegister };
const statements = clocked({ ...plainStatements, ...registers, renew, sweepStretch, time });

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
  createStore: (_client: SqlClient, options: PlainOptions) => new MysqlPlainStore(options),
};

class MysqlPlainStore implements PlainStore<MysqlConnection> {
  readonly #names: TableNames;
  readonly #check: ColumnsCheck;
  readonly #prepared: PreparedStatements<keyof typeof statements>;

  constructor({ names, timeout }: PlainOptions) {
    this.#names = names;
    this.#check = new ColumnsCheck(columns, names);
    this.#prepared = new PreparedStatements(statements, names, timeout);
  }

  async checkConnection(connection: MysqlConnection): Promise<void> {
    const { schema = null, table } = this.#names;
    const [row = {}] = await this.#prepared.rowsOnce(connection, 'checkConnection', [schema, table]);
    checkServer(row);
    const isPlain = this.#check.isPlain(columnsIn(row));
    if (schema === null) this.#prepared.foundIn(nameOf(row['home']));
    if (!isPlain) return;
    // An acquire reads this row. A read that finds none locks the gap where other keys are
    // inserted.
    const found = await this.#prepared.rowsOnce(connection, 'findRemoved', []);
    if (found.length === 0) await this.#prepared.changed(connection, 'writeRemoved', []);
  }

  async acquire(connection: MysqlConnection, { key, owner, ttl, floor = 0n }: Claim): Promise<bigint | undefined> {
    const [above, lasts] = [`${floor}`, micros(ttl)];
    const values = [hex(key), above, owner, lasts, owner, above, owner, owner, lasts];
    const token = await this.#prepared.changed(connection, 'acquire', values);
    return token === 0n ? undefined : token;
  }

  async renew(connection: MysqlConnection, { key, owner, ttl }: Claim, token: bigint | undefined): Promise<boolean> {
    const raised = token === undefined ? null : `${token}`;
    const values = [raised, micros(ttl), hex(key), this.#prepared.longestWait(), owner, raised];
    return (await this.#prepared.changed(connection, 'renew', values)) !== 0n;
  }

  async release(connection: MysqlConnection, { key, owner }: Claim): Promise<boolean> {
    const values = [hex(key), this.#prepared.longestWait(), owner];
    return (await this.#prepared.changed(connection, 'release', values)) !== 0n;
  }

  async inspect(connection: MysqlConnection, key: string): ReturnType<PlainStore['inspect']> {
    const holders = (await this.#prepared.rows(connection, 'inspect', [hex(key)])).map((row) => ({
      owner: textOf(row['owner']),
      mode: 'exclusive' as const,
      token: BigInt(textOf(row['token'])),
      remaining: Number(textOf(row['remaining'])) / 1_000,
    }));
    return { key, holders, waiters: 0 };
  }

  async time(connection: MysqlConnection): Promise<number> {
    const [row] = await this.#prepared.rows(connection, 'time', []);
    return Number(textOf(row?.['time']));
  }

  list(...args: Parameters<PlainStore<MysqlConnection>['list']>): Promise<ListedKeys> {
    return this.#prepared.list(...args);
  }

  readRegister(connection: MysqlConnection, name: string): Promise<string | undefined> {
    return this.#prepared.readRegister(connection, name);
  }

  changeRegister(connection: MysqlConnection, name: string, change: RegisterChange): Promise<boolean> {
    return this.#prepared.changeRegister(connection, name, change);
  }

  async sweep(connection: MysqlConnection, retention: number, limit: number, after: string): Promise<Swept> {
    const next = await this.#prepared.endOfStretch(connection, after, limit);
    const older = `${await this.#prepared.changed(connection, 'raiseRemoved', [micros(retention), micros(retention)])}`;
    const range = [older, after, next ?? null];
    const idle = await this.#prepared.rows(connection, 'idle', range, { limit: whole(limit) });
    const keys = idle.map((row) => textOf(row['key']));
    if (keys.length === 0) return { removed: 0, next };
    const asked = powerOfTwo(keys);
    const blanks = { keys: placesOf(asked) };
    const removed = await this.#prepared.affected(connection, 'remove', [older, ...asked], blanks);
    // There may be more in this stretch.
    return { removed, next: keys.length === limit ? after : next };
  }

  explain(error: unknown, what: CallName, claim?: Claim): LockError {
    return numberOf(error) === otherColumns ? routinesAdded(this.#prepared.names, error) : explain(error, what, claim);
  }
}

/** `texts` with the server's clock in place of `{now}`. */
function clocked<Name extends string>(texts: Readonly<Record<Name, string>>): Readonly<Record<Name, string>> {
  const made = Object.entries<string>(texts).map(([name, text]) => [
    name,
    text.replaceAll('{now}', plainStatements.now),
  ]);
  return Object.fromEntries(made) as Readonly<Record<Name, string>>;
}

/** The columns that a row of `check-connection.sql` tells; `undefined` without the table. */
function columnsIn(row: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const found = row?.['columns'] ?? undefined;
  return found === undefined ? undefined : textOf(found);
}
