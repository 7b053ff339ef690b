import type { SqlClient } from '../clients/client.ts';
import { ColumnsCheck, routinesAdded } from '../dialect/stores/plain-columns.ts';
import type { PlainOptions, PlainStore, PlainTable } from '../dialect/stores/plain-store.ts';
import { looksPerRemoval } from '../dialect/stores/store.ts';
import { checkServer, hidden } from './connection/check-connection.ts';
import type { ConnectionFacts } from './connection/check-connection.ts';
import type { PgConnection } from './connection/connection.ts';
import { bytes } from './encoding.ts';
import { explain, stateOf } from './errors.ts';
import { statements as plainStatements } from './plain-statements.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { statements as routineStatements } from './statements.ts';

const columns = 'key bytea, version bigint, owner text, held_until timestamp with time zone';

/** A renewal touches the four columns only, in either layout. */
const { renew, time, readRegister, makeRegister, changeRegister } = routineStatements;
const statements = { ...plainStatements, renew, time, readRegister, makeRegister, changeRegister };

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

function createStore(_client: SqlClient, { names, timeout }: PlainOptions): PlainStore {
  const prepared = new PreparedStatements(statements, names, timeout);
  const columnsCheck = new ColumnsCheck(columns, names);

  async function check(connection: PgConnection): Promise<ConnectionFacts> {
    const [row = []] = await prepared.askAsConfigured(connection, 'checkConnection');
    const [home, found] = row.slice(5);
    const facts = checkServer(row, () => columnsCheck.isPlain(found ?? undefined, hidden));
    if (names.schema === undefined) prepared.foundIn(home ?? undefined);
    return facts;
  }

  const store: PlainStore<PgConnection> = {
    checkConnection: (connection) => prepared.check(connection, () => check(connection)),
    async acquire(connection, { key, owner, ttl, floor }) {
      const wait = prepared.limitOf(connection, ttl);
      const [row] = await prepared.ask(connection, 'acquire', bytes(key), owner, ttl, floor ?? 0n, wait);
      return row === undefined ? undefined : BigInt(row[0] ?? 0);
    },
    async renew(connection, { key, owner, ttl }, token) {
      const wait = prepared.limitOf(connection, ttl);
      const rows = await prepared.ask(connection, 'renew', bytes(key), owner, ttl, token ?? null, wait);
      return rows.length > 0;
    },
    async release(connection, { key, owner }) {
      const rows = await prepared.ask(connection, 'release', bytes(key), owner, prepared.limitOf(connection));
      return rows.length > 0;
    },
    async inspect(connection, key) {
      const holders = (await prepared.ask(connection, 'inspect', bytes(key))).map(([owner, token, remaining]) => ({
        owner: owner ?? '',
        mode: 'exclusive' as const,
        token: BigInt(token ?? 0),
        remaining: Number(remaining),
      }));
      return { key, holders, waiters: 0 };
    },
    list: (...args) => prepared.list(...args),
    readRegister: (...args) => prepared.readRegister(...args),
    changeRegister: (...args) => prepared.changeRegister(...args),
    time: async (connection) => Number((await prepared.ask(connection, 'time'))[0]?.[0]),
    async sweep(connection, retention, most, after) {
      const [raised] = await prepared.ask(connection, 'raiseRemoved', Math.ceil(retention));
      const from = Buffer.from(after, 'hex');
      const older = raised?.[0] ?? null;
      const [row] = await prepared.ask(connection, 'remove', older, most, from, most * looksPerRemoval);
      const removed = Number(row?.[0]);
      // There may be more in this stretch.
      return { removed, next: removed === most ? after : (row?.[1] ?? undefined) };
    },
    explain(error, what, claim) {
      return stateOf(error) === otherColumns ? routinesAdded(prepared.names, error) : explain(error, what, claim);
    },
  };
  return store;
}
