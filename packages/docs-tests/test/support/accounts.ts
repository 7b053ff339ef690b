import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromConfig as migrated } from '@locks/sql';
import { systemRuntime } from '@locks/core/adapter';
import {
  askEtcd,
  redisCommand,
  startEtcd,
  startMariadb,
  startPostgres,
  startRedis,
  startZookeeper,
} from '@locks/test-servers';
import { createZookeeperGuard, createZookeeperProvider } from '@locks/zookeeper';
import knex from 'knex';
import { openDatabases } from './databases.ts';
import { readMarkdown } from './fences.ts';
import { root } from './repository.ts';

/** A store, by an account that has what the documentation says, and nothing else. */
export interface Account {
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  stop(): Promise<unknown>;
}

/** Requirements wait for positions in the queue to lapse. */
const brief = { waiterTtl: 3_000 } as const;
const page = (name: string): string => readFileSync(join(root, 'docs/backends', `${name}.md`), 'utf8');
const withUser = (url: string, user = 'app'): string => url.replace(/\/\/(?:[^@/]*@)?/, `//${user}:secret@`);

/** By the name of the store; of databases also without routines. */
export const accounts: Readonly<Record<string, () => Promise<Account>>> = {
  async redis() {
    const server = await startRedis();
    const [, rules = ''] = /^ACL SETUSER locker on >… ([^`]*)^```$/m.exec(page('redis-operate')) ?? [];
    await redisCommand(server, 'ACL', 'SETUSER', 'app', 'on', '>secret', ...rules.trim().split(/\s+/));
    return { url: withUser(server.url), options: brief, stop: server.stop };
  },
  postgres: () => ofDatabase('Postgres', true),
  'postgres without routines': () => ofDatabase('Postgres', false),
  mariadb: () => ofDatabase('MariaDB', true),
  'mariadb without routines': () => ofDatabase('MariaDB', false),
  async zookeeper() {
    const { host, port, stop } = await startZookeeper({ tickTime: 200, maxSessionTimeout: 60_000 });
    const servers = `${host}:${port}`;
    const admin = createZookeeperProvider({ servers, root: '/admin', username: 'admin', password: 'admin' });
    const node = (path: string, permissions: number) =>
      ({ type: 'create', path, acl: [appMay(permissions), { scheme: 'auth', id: '', permissions: 31 }] }) as const;
    const nodes = [
      node('/shop', permissionsOf('`<root>`')),
      node('/shop/@base', permissionsOf('`<root>/@base`')),
      node('/shop/@registers', permissionsOf('`<root>/@registers`')),
    ];
    await createZookeeperGuard(admin).writeFenced('/fence', nodes, { token: 1n, mode: 'exclusive' });
    await admin.close();
    // The service makes the folders of its keys itself.
    const acl = [appMay(permissionsOf('positions in the queue') | permissionsOf('`<root>/<key>`'))];
    const options = { root: '/shop', username: 'app', password: 'secret', acl, sessionTimeout: 6_000 };
    return { url: `zookeeper://${servers}`, options, stop };
  },
  async etcd() {
    const server = await startEtcd();
    const [, role, type = '', prefix = ''] =
      /etcdctl role grant-permission (\w+) --prefix=true (\w+) (\S+?)\/`/.exec(page('etcd')) ?? [];
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const perm = { permType: type.toUpperCase(), key: base64(`${prefix}/`), range_end: base64(`${prefix}0`) };
    await askEtcd(server, 'auth/role/add', { name: role });
    await askEtcd(server, 'auth/role/grant', { name: role, perm });
    for (const [name, password, of] of [
      ['root', 'root', 'root'],
      ['app', 'secret', role],
    ]) {
      await askEtcd(server, 'auth/user/add', { name, password });
      await askEtcd(server, 'auth/user/grant', { user: name, role: of });
    }
    await askEtcd(server, 'auth/enable');
    return { url: `${withUser(server.url)}/${prefix}`, options: brief, stop: server.stop };
  },
};

/** What `app` may, by the row of docs/backends/zookeeper.md that begins with `node`. */
export function permissionsOf(node: string): number {
  const bits = new Map([
    ['read', 1],
    ['write', 2],
    ['create', 4],
    ['delete', 8],
    ['all but admin', 15],
  ]);
  const row = page('zookeeper')
    .split('\n')
    .find((line) => line.startsWith(`| ${node}`));
  const words = row?.split('|')[2]?.trim().split(', ') ?? [''];
  return words.reduce((sum, word) => sum + (bits.get(word) ?? Number.NaN), 0);
}

/** The entry of a list of ZooKeeper that permits this to the user `app`. */
export function appMay(permissions: number): {
  readonly scheme: string;
  readonly id: string;
  readonly permissions: number;
} {
  return { scheme: 'digest', id: `app:${createHash('sha1').update('app:secret').digest('base64')}`, permissions };
}

async function ofDatabase(name: 'Postgres' | 'MariaDB', routines: boolean): Promise<Account> {
  const isPostgres = name === 'Postgres';
  const server = await (isPostgres ? startPostgres() : startMariadb());
  const databases = openDatabases(server.url);
  await databases.create('rights');
  const url = databases.url('rights');
  const options = { migrate: true, ...(routines ? {} : { routines }) };
  await (await migrated({ url, options, runtime: systemRuntime })).close();
  const admin = knex({ client: isPostgres ? 'pg' : 'mysql2', connection: url, pool: { min: 0, max: 1 } });
  await admin.raw(isPostgres ? "CREATE ROLE app LOGIN PASSWORD 'secret'" : "CREATE USER app IDENTIFIED BY 'secret'");
  for (const statement of grantsOf(isPostgres ? '"' : '`', routines)) await admin.raw(statement);
  await admin.destroy();
  const stop = async (): Promise<void> => {
    await databases.remove();
    await server.stop();
  };
  return { url: withUser(url), options: routines ? brief : { ...brief, routines }, stop };
}

/** The statements of the page that grant what its tables need, by how they quote a name. */
function grantsOf(quote: string, routines: boolean): readonly string[] {
  const blocks = readMarkdown(page('sql-operate')).fences.filter(
    ({ language, text }) => language === 'sql' && text.includes('GRANT') && text.includes(`${quote}app${quote}`),
  );
  const { text = '' } = blocks[routines ? 0 : 1] ?? {};
  return text
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
