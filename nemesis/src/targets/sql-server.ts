import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { migrateTables } from '@locks/sql';
import type { ServerHandle } from '@locks/test-servers';
import knex from 'knex';
import type { Knex } from 'knex';
import type { FaultOf } from './listed.ts';
import { type Processes, kill, ofOne, old, together } from './processes.ts';

/** In ms. */
export const ttl = 1_000;
export const options = { timeout: 2_000, waiterTtl: 3_000 };

export type Database = 'postgres' | 'mariadb';

/** A database whose tables were created by another user than that of the locks. */
export interface SqlServer extends Processes {
  readonly database: Database;
  /** Of the user of the locks, who has only the documented rights. */
  readonly url: string;
  readonly routines: boolean;
  readonly tables: readonly string[];
  /** The statements that grant that user the rights. */
  readonly grants: readonly string[];
  /** Runs statements as administrator. */
  admin(...statements: readonly string[]): Promise<void>;
}

const silent = (): void => {};

const user = 'app';
const password = 'secret';

/** Makes the tables and the user of the locks. */
export async function sqlServer(database: Database, server: ServerHandle, routines = true): Promise<SqlServer> {
  const ask = async <T>(work: (admin: Knex) => Promise<T>): Promise<T> => {
    const admin = knex({
      client: database === 'postgres' ? 'pg' : 'mysql2',
      connection: server.url,
      pool: { min: 0, max: 1 },
      log: { warn: silent, error: silent, debug: silent, deprecate: silent },
    });
    try {
      return await work(admin);
    } finally {
      await admin.destroy();
    }
  };
  await ask((admin) => migrateTables(admin, { routines }));
  const grants = routines ? await grantsOf(database) : [`GRANT SELECT, INSERT, UPDATE, DELETE ON locks TO ${user}`];
  const admin: SqlServer['admin'] = (...statements) =>
    ask(async (client) => {
      for (const statement of statements) await client.raw(statement);
    });
  await admin(
    database === 'postgres'
      ? `CREATE ROLE ${user} LOGIN PASSWORD '${password}'`
      : `CREATE USER ${user} IDENTIFIED BY '${password}'`,
    ...grants,
  );
  const url = Object.assign(new URL(server.url), { username: user, password });
  return {
    ...together([server]),
    database,
    url: url.href,
    routines,
    tables: routines ? ['locks', 'locks_queue', 'locks_shares'] : ['locks'],
    grants,
    admin,
  };
}

/** The file of the package for administrators. */
async function grantsOf(database: Database): Promise<readonly string[]> {
  const folder = database === 'postgres' ? 'postgres' : 'mysql';
  const file = fileURLToPath(import.meta.resolve(`@locks/sql/sql/${folder}/grants.sql`));
  const text = (await readFile(file, 'utf8')).replaceAll(/^--.*$/gm, '').replaceAll(/(["`])app\1/g, user);
  const statements = text.split(';').map((statement) => statement.trim());
  return statements.filter((statement) => statement !== '');
}

interface Statements {
  readonly begin: readonly string[];
  readonly end?: readonly string[];
}

/** Statements that begin a fault, and statements that end it, by the kind of database. */
function changed(
  by: Readonly<Record<Database, Statements>>,
  more: Partial<FaultOf<SqlServer>> = {},
): FaultOf<SqlServer> {
  return {
    ...more,
    async begin({ database, admin }) {
      const { begin, end } = by[database];
      await admin(...begin);
      if (end !== undefined) return () => admin(...end);
    },
  };
}

const moment = { lasts: [0, 0] } as const;
const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`;

/** Ends the sessions of the user of the locks. */
async function endSessions({ database, admin }: SqlServer): Promise<void> {
  await admin(database === 'postgres' ? cut : `KILL USER ${user}`);
}

/** The user of the locks may not use their table. */
export const rightsRevoked: FaultOf<SqlServer> = {
  refuses: true,
  async begin({ admin, grants }) {
    await admin(`REVOKE SELECT, INSERT, UPDATE ON locks FROM ${user}`);
    return () => admin(...grants);
  },
};

const rotate = (to: string): Readonly<Record<Database, string>> => ({
  postgres: `ALTER ROLE ${user} PASSWORD '${to}'`,
  mariadb: `ALTER USER ${user} IDENTIFIED BY '${to}'`,
});

/** It restarts as a standby, which only reads, and is promoted, on another timeline. */
export const standby: FaultOf<SqlServer> = {
  refuses: true,
  async begin({ admin, handles }) {
    const signal = `format('COPY (SELECT 1 WHERE false) TO %L', current_setting('data_directory') || '/standby.signal')`;
    await admin(`DO $$ BEGIN EXECUTE ${signal}; END $$`);
    for (const server of handles) await server.restart();
    return () => admin('SELECT pg_promote()');
  },
};

/** What can be done to a database. */
export const sqlFaults: Readonly<Record<string, FaultOf<SqlServer>>> = {
  'server-pause': ofOne['server-pause'],
  'server-restart': kill,
  'server-old': old,
  truncated: {
    lasts: [0, 0],
    weight: 0.5,
    empties: true,
    async begin({ database, admin, tables }) {
      await admin(
        ...(database === 'postgres'
          ? [`TRUNCATE ${tables.join(', ')}`]
          : tables.map((table) => `DELETE FROM ${table}`)),
      );
    },
  },
  'read-only': changed(
    {
      postgres: {
        begin: [`ALTER ROLE ${user} SET default_transaction_read_only = on`, cut],
        end: [`ALTER ROLE ${user} RESET default_transaction_read_only`, cut],
      },
      mariadb: { begin: ['SET GLOBAL read_only = 1'], end: ['SET GLOBAL read_only = 0'] },
    },
    { refuses: true },
  ),
  'rights revoked': rightsRevoked,
  'password rotated': {
    refuses: true,
    async begin(servers) {
      const { database, admin } = servers;
      await admin(rotate('another')[database]);
      await endSessions(servers);
      return () => admin(rotate(password)[database]);
    },
  },
  'sessions ended': { ...moment, begin: endSessions },
  'no connections': changed({
    postgres: {
      begin: [`ALTER ROLE ${user} CONNECTION LIMIT 1`, cut],
      end: [`ALTER ROLE ${user} CONNECTION LIMIT -1`],
    },
    mariadb: {
      begin: [`ALTER USER ${user} WITH MAX_USER_CONNECTIONS 1`, `KILL USER ${user}`],
      end: [`ALTER USER ${user} WITH MAX_USER_CONNECTIONS 0`],
    },
  }),
  'foreign rows': {
    ...moment,
    async begin({ database, admin, routines }) {
      const name = `stranger-${Math.floor(Math.random() * 1e6)}`;
      const key = database === 'postgres' ? `'${name}'::bytea` : `'${name}'`;
      const written = database === 'postgres' ? 'now()' : '0';
      await admin(
        routines
          ? `INSERT INTO locks (key, version) VALUES (${key}, 1)`.replace(
              '(key,',
              database === 'postgres' ? '(key,' : '(`key`,',
            )
          : `INSERT INTO locks VALUES (${key}, 'strange', 'no record of ours', ${written}, NULL)`,
      );
    },
  },
};
