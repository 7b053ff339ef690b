import type { Opening } from '@locks/conformance/nemesis';
import { startMariadb, startPostgres } from '@locks/test-servers';
import { type Data, type ListedTarget, list } from './listed.ts';
import { kill, ofOne } from './processes.ts';
import { type SmallDisk, diskFull, smallDisk } from './small-disk.ts';
import { type Database, type SqlServer, options, sqlFaults, sqlServer, standby, ttl } from './sql-server.ts';

const application = { adapters: ['sql'], modules: ['knex', 'mysql2', 'pg', 'postgres'] } as const;

type OpeningOf = (server: SqlServer) => Opening;

/** How long a call may wait for a connection of a pool, in ms. 0: forever. */
const acquire = [0, 0, 50] as const;
const max = [1, 2, 4] as const;
const types = [null, 'bigint', 'number', 'text', 'null'] as const;
const listen = [true, true, false] as const;

const byUrl: OpeningOf = ({ url, routines }) => {
  const { username, password, protocol, pathname } = new URL(url);
  return {
    args: {
      url: `${protocol}//${username}:${password}@{host}:{port}${pathname}`,
      ttl,
      options: { ...options, ...(!routines && { routines }) },
    },
    settings: { pool: [1, 2, 4], listen, timeout: [1_000, 2_000], pollInterval: [5, 25, 200] },
  };
};

/** A pool of the application, with settings of its library. */
function own(client: string, settings: Data): OpeningOf {
  return ({ url, routines }) => ({
    module: 'sql',
    args: { client, url, ttl, options: { ...options, ...(!routines && { routines }) } },
    settings: { ...settings, listen },
  });
}

const mysql = { max, waiting: [0, 1, 5], bigNumbers: [false, true, 'strings'], dateStrings: [false, true] };

const clients = {
  postgres: {
    url: byUrl,
    pg: own('pg', { max, acquire, types, wrap: ['none', 'slow'] }),
    executor: own('executor', { max, acquire, types }),
    postgres: own('postgres', { max, prepare: [true, false] }),
    knex: own('knex over pg', { max, acquire: [0, 100], types }),
  },
  mariadb: {
    url: byUrl,
    mysql2: own('mysql2', mysql),
    'mysql2/promise': own('mysql2/promise', mysql),
    knex: own('knex over mysql2', { max, acquire: [0, 100] }),
  },
} as const satisfies Readonly<Record<Database, Readonly<Record<string, OpeningOf>>>>;

const starts = { postgres: startPostgres, mariadb: startMariadb } as const;

function target(name: string, database: Database, routines = true): ListedTarget {
  return list<SqlServer>({
    name,
    store: database,
    topology: routines ? 'one server' : 'one server, no routines',
    ...application,
    fair: true,
    // A killed server reads its log, and pools open new connections.
    healing: 2_000,
    ttl,
    start: async () => await sqlServer(database, await starts[database](), routines),
    servers: ({ handles }) => handles,
    openings: clients[database],
    faults: { ...sqlFaults, ...(database === 'postgres' && { standby }) },
  });
}

type SmallSqlServer = SqlServer & SmallDisk;

export const sqlTargets: readonly ListedTarget[] = [
  target('postgres', 'postgres'),
  target('table', 'postgres', false),
  target('mariadb', 'mariadb'),
  target('mariadb-table', 'mariadb', false),
  list<SmallSqlServer>({
    name: 'postgres-small-disk',
    store: 'postgres',
    topology: 'one server, 128 MB of disk',
    ...application,
    fair: true,
    ttl,
    async start() {
      const disk = await smallDisk(await startPostgres(), 128);
      const [handle] = disk.handles;
      if (handle === undefined) throw new Error('A disk has a server.');
      return { ...(await sqlServer('postgres', handle)), ...disk };
    },
    servers: ({ handles }) => handles,
    openings: clients.postgres,
    faults: { 'server-pause': ofOne['server-pause'], 'server-restart': kill, 'disk full': diskFull },
  }),
];
