import type { Claim } from '@locks/core';
import { DefaultSchema } from '../dialect/default-schema.ts';
import type { KnexClient } from '../dialect/knex.ts';
import { looksPerRemoval } from '../dialect/lock-store.ts';
import { rendered } from '../dialect/names.ts';
import { TransactionOpen } from '../dialect/transaction-open.ts';
import { ColumnsCheck, routinesAdded } from '../dialect/plain-columns.ts';
import type { PlainOptions, PlainStore, PlainTable } from '../dialect/plain-store.ts';
import { abandon } from './cancel.ts';
import { checkServer, hidden } from './check-connection.ts';
import { bytes, firstAfter } from './encoding.ts';
import type { PgConnection, Reply, Value } from './connection.ts';
import { canRepeat, explain, isBroken, isInTransaction, stateOf } from './errors.ts';
import { statements as plainStatements } from './plain-statements.ts';
import { Sessions, statement } from './session.ts';
import type { Statement } from './session.ts';
import { statements as routineStatements } from './statements.ts';
import { watchStatus } from './transaction-status.ts';

const columns = 'key bytea, version bigint, owner text, held_until timestamp with time zone';

/** A renewal touches the four columns only, in either layout. */
const statements = { ...plainStatements, renew: routineStatements.renew };

/** The state in which a row of four columns is not a row of the table. */
const otherColumns = '42846';

/** The table of the plain lock in Postgres. */
export const plain: PlainTable = {
  create: plainStatements.table,
  columns,
  async columnsOf(session) {
    const [row] = await session.rows(plainStatements.checkConnection);
    return (row?.['columns'] ?? undefined) as string | undefined;
  },
  createStore,
};

function createStore(_client: KnexClient, { names, timeout }: PlainOptions): PlainStore {
  const sessions = new Sessions(timeout);
  const schema = new DefaultSchema(names);
  const check = new ColumnsCheck(columns, names);
  const prepareAll = (): Readonly<Record<keyof typeof statements, Statement>> => {
    const all = Object.entries(statements).map(([name, text]) => [
      name,
      statement(name, rendered(text, schema.names, '"')),
    ]);
    return Object.fromEntries(all) as Readonly<Record<keyof typeof statements, Statement>>;
  };
  let prepared = prepareAll();
  /** Without a schema: where this connection would find the table. */
  const { checkConnection } = prepared;
  const limit = Math.ceil(timeout);
  /** After how many ms the server ends a statement of a connection anyway. */
  const ends = new WeakMap<PgConnection, number>();

  /** A statement that waits longer for a row must not take effect. */
  function waitOf(connection: PgConnection, most: number): number | null {
    return (ends.get(connection) ?? Infinity) <= most ? null : most;
  }

  async function ask(connection: PgConnection, what: Statement, ...values: readonly Value[]): Promise<Reply['rows']> {
    return await sessions.send(connection, what, values);
  }

  async function checkNew(connection: PgConnection): Promise<void> {
    watchStatus(connection);
    try {
      const [row = []] = await ask(connection, checkConnection);
      const [home, found] = row.slice(5);
      const { endsAfter, readCommitted } = checkServer(row, () => check.isPlain(found ?? undefined, hidden));
      if (names.schema === undefined) {
        schema.found(home ?? undefined);
        prepared = prepareAll();
      }
      ends.set(connection, endsAfter);
      if (!readCommitted) sessions.enclose(connection);
    } catch (error) {
      // What was sent changes nothing.
      throw error instanceof TransactionOpen ? new TransactionOpen(false) : error;
    }
  }

  const store: PlainStore<PgConnection> = {
    name: 'postgres',
    scope: 'network',
    checkConnection: checkNew,
    async acquire(connection, { key, owner, ttl, floor }: Claim) {
      const wait = waitOf(connection, Math.min(limit, ttl));
      const [row] = await ask(connection, prepared.acquire, bytes(key), owner, ttl, floor ?? 0n, wait);
      return row === undefined ? undefined : BigInt(row[0] ?? 0);
    },
    async renew(connection, { key, owner, ttl }, token) {
      const wait = waitOf(connection, Math.min(limit, ttl));
      const rows = await ask(connection, prepared.renew, bytes(key), owner, ttl, token ?? null, wait);
      return rows.length > 0;
    },
    async release(connection, { key, owner }) {
      const rows = await ask(connection, prepared.release, bytes(key), owner, waitOf(connection, limit));
      return rows.length > 0;
    },
    async inspect(connection, key) {
      const holders = (await ask(connection, prepared.inspect, bytes(key))).map(([owner, token, remaining]) => ({
        owner: owner ?? '',
        mode: 'exclusive' as const,
        token: BigInt(token ?? 0),
        remaining: Number(remaining),
      }));
      return { key, holders, waiters: 0 };
    },
    async list(connection, prefix, after, most) {
      const from = after === undefined ? bytes(prefix) : Buffer.concat([bytes(after), Buffer.of(0)]);
      const rows = await ask(connection, prepared.list, from, firstAfter(bytes(prefix)), most);
      return rows.map(([key]) => Buffer.from(key ?? '', 'hex').toString());
    },
    async sweep(connection, retention, most, after) {
      const [raised] = await ask(connection, prepared.raiseRemoved, Math.ceil(retention));
      const from = Buffer.from(after, 'hex');
      const older = raised?.[0] ?? null;
      const [row] = await ask(connection, prepared.remove, older, most, from, most * looksPerRemoval);
      const removed = Number(row?.[0]);
      // There may be more in this stretch.
      return { removed, next: removed === most ? after : (row?.[1] ?? undefined) };
    },
    canRepeat,
    isInTransaction,
    isBroken,
    discard: abandon,
    explain(error, what, claim) {
      return stateOf(error) === otherColumns ? routinesAdded(schema.names, error) : explain(error, what, claim);
    },
  };
  return store;
}
