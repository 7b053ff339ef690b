import { LockError } from '@locks/core/adapter';

/** A server and a database on it. */
export interface ServerPlace {
  readonly kind: 'postgres' | 'mysql';
  /** A name, an address, or the path of a Unix socket (of Postgres: of its folder). */
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
}

/** Where the database is. */
export type DatabasePlace = ServerPlace | { readonly kind: 'sqlite'; readonly file: string };

const servers: Readonly<Record<string, { readonly kind: ServerPlace['kind']; readonly port: number }>> = {
  'postgres:': { kind: 'postgres', port: 5432 },
  'postgresql:': { kind: 'postgres', port: 5432 },
  'mysql:': { kind: 'mysql', port: 3306 },
  'mariadb:': { kind: 'mysql', port: 3306 },
};

/**
 * Reads `postgres://user:password@host:5432/database`, `postgresql:`, `mysql:`, `mariadb:` likewise, and `sqlite:` before a path.
 * @throws `LOCK_MISCONFIGURED` without the URL, which may have a password in it.
 */
export function readDatabaseUrl(text: string | undefined): DatabasePlace {
  if (text === undefined)
    throw misconfigured(
      'option "url" is missing; write postgres://user:password@host/database, mysql://… or sqlite:./locks.db',
    );
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase() ?? '';
  if (scheme === 'sqlite:') return { kind: 'sqlite', file: readFile(text.slice(scheme.length)) };
  const server = Object.hasOwn(servers, scheme) ? servers[scheme] : undefined;
  if (server === undefined) {
    throw misconfigured(
      `its URL must start with ${Object.keys(servers).join(', ')} or sqlite:, not ${scheme || 'with no scheme'}`,
    );
  }
  return readServer(text, server);
}

function readServer(text: string, { kind, port }: Pick<ServerPlace, 'kind' | 'port'>): ServerPlace {
  try {
    const url = new URL(text);
    const host = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1'));
    const database = decodeURIComponent(url.pathname.replace(/^\//, ''));
    return {
      kind,
      host: host || 'localhost',
      port: Number(url.port || port),
      user: decodeURIComponent(url.username) || undefined,
      password: decodeURIComponent(url.password) || undefined,
      database: database || undefined,
    };
  } catch {
    throw misconfigured(
      `its URL cannot be read; write ${kind}://user:password@host:${port}/database, with special characters of the password percent-encoded`,
    );
  }
}

/** `./a`, `/a`, `///a`; on Windows `C:\a` and `///C:/a` too. */
function readFile(rest: string): string {
  const path = rest.replace(/^\/\/(?=\/)/, '').replace(/^\/(?=[a-z]:[\\/])/i, '');
  if (path === '' || path.startsWith('//')) {
    throw misconfigured(
      'its URL names no file; write sqlite:./locks.db, sqlite:/var/lib/app/locks.db or sqlite:///var/lib/app/locks.db',
    );
  }
  if (path === ':memory:') {
    throw misconfigured(
      'a database in memory is seen by one connection alone; write memory: for locks within one process, or the path of a file',
    );
  }
  try {
    return decodeURIComponent(path);
  } catch {
    throw misconfigured('the path of its URL has a % that begins no escape; write %25 for it');
  }
}

function misconfigured(why: string): LockError {
  return new LockError('LOCK_MISCONFIGURED', `@locks/sql: ${why}.`);
}
