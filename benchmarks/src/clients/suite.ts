import { startRedis } from '@locks/test-servers';
import type { Database } from '../sql/database.ts';
import { openMariadb } from '../sql/mariadb-database.ts';
import { openPostgres } from '../sql/postgres-database.ts';
import { prepare } from '../sql/prepare.ts';
import { openSqlite } from '../sql/sqlite-database.ts';
import { rotationFor } from '../suite.ts';
import type { Servers, SuiteContext } from '../suite.ts';
import {
  clientColumn,
  failuresColumn,
  latencyColumns,
  pairsColumn,
  rawColumn,
  subjectColumn,
} from '../tables/columns.ts';
import type { Column } from '../tables/table.ts';
import { openServer } from '../zookeeper/server.ts';
import type { MeasuredClient } from './client.ts';
import { measureClients } from './measure.ts';

const columns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  rawColumn,
  ...latencyColumns,
  clientColumn,
  failuresColumn,
];

/** A separate server, empty. */
interface Server extends AsyncDisposable {
  readonly url: string;
}

interface Store {
  readonly name: string;
  readonly title: string;
  open(): Promise<Server>;
  clients(): Promise<readonly MeasuredClient[]>;
  /** Ms of a turn: some stores wait for a disk. */
  readonly slice: number;
}

async function withTables(opening: Promise<Database>): Promise<Server> {
  const database = await opening;
  await prepare(database, [], { retryDelay: undefined });
  return database;
}

const stores: readonly Store[] = [
  {
    name: 'redis',
    title: 'Redis',
    open: () => startRedis(),
    clients: async () => (await import('./redis.ts')).redisClients,
    slice: 130,
  },
  {
    name: 'postgres',
    title: 'Postgres',
    open: () => withTables(openPostgres()),
    clients: async () => (await import('./sql.ts')).postgresClients,
    slice: 250,
  },
  {
    name: 'mariadb',
    title: 'MariaDB',
    open: () => withTables(openMariadb()),
    clients: async () => (await import('./sql.ts')).mariadbClients,
    slice: 250,
  },
  {
    name: 'sqlite',
    title: 'SQLite',
    open: () => withTables(openSqlite()),
    clients: async () => (await import('./sql.ts')).sqliteClients,
    slice: 250,
  },
  {
    name: 'zookeeper',
    title: 'ZooKeeper',
    open: () => openServer(),
    clients: async () => (await import('./zookeeper.ts')).zookeeperClients,
    slice: 500,
  },
];

/** Each client library against its own commands, on servers started for this. */
export async function runClientsSuite(context: SuiteContext): Promise<Servers> {
  for (const { name, title, open, clients, slice } of stores) {
    if (!context.wants(name)) continue;
    await using server = await open();
    for (const concurrency of [1, 16, 64]) {
      await context.table(`${title}: each client beside its own commands, ${concurrency} at once`, columns, async () =>
        measureClients(name, server.url, await clients(), concurrency, rotationFor(context, 12, slice)),
      );
    }
  }
  return {};
}
