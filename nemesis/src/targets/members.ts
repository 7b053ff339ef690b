import { startPostgres } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { Data, FaultOf } from './listed.ts';
import { type Processes, together } from './processes.ts';
import { type SqlServer, options as sqlOptions, rightsRevoked, sqlServer } from './sql-server.ts';

/** Of a Redis that loses nothing when it is killed. */
export const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];

/** A Redis as a member, by its number. */
export const redisMember = (server: number, more: Data = {}) => ({
  url: `redis://{host:${server}}:{port:${server}}`,
  options: { timeout: 2_000, waiterTtl: 3_000, ...more },
});

/** A Postgres as a member. */
export const sqlMember = ({ url }: SqlServer, server: number) => {
  const { username, password, protocol, pathname } = new URL(url);
  return {
    url: `${protocol}//${username}:${password}@{host:${server}}:{port:${server}}${pathname}`,
    options: sqlOptions,
  };
};

/** Servers of several kinds. */
export interface Kinds extends Processes {
  readonly sql: SqlServer;
}

/** Redis, Postgres, and a third store. */
export async function withSql(first: ServerHandle, ...others: readonly ServerHandle[]): Promise<Kinds> {
  const sql = await sqlServer('postgres', await startPostgres());
  return { ...together([first, ...sql.handles, ...others]), sql };
}

/** The Postgres refuses, while the others grant. */
export const sqlRevoked: FaultOf<Kinds> = {
  targets: 1,
  begin: ({ sql }, server, amount) => rightsRevoked.begin(sql, server, amount),
};
