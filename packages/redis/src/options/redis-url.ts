import { misconfigured, readAuthority } from '@locks/core/adapter';
import type { Authority, Host, LockError } from '@locks/core/adapter';
import { redisSource } from './options.ts';

/** The kind of a URL: one server, the master of Sentinels, or a Cluster. */
export type RedisKind = 'server' | 'sentinel' | 'cluster';

/** A parsed URL. */
export interface RedisUrl {
  readonly kind: RedisKind;
  readonly secure: boolean;
  /** One host, the Sentinels, or nodes of the Cluster. */
  readonly hosts: readonly Host[];
  /** The Sentinels' name of the master. */
  readonly name?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly db?: number;
}

/** The default port of a Sentinel. */
export const sentinelPort = 26_379;
/** The default port of a server. */
export const serverPort = 6379;

const shape = /^((?:redis|valkey)(s?)(?:\+(sentinel|cluster))?):\/\/([^/]*)\/?(.*)$/i;
const unixShape = /^(?:redis|valkey)\+unix:\/\/(?:([^/@]*)@)?(\/[^#@]+)$/i;
const unixExample = 'redis+unix://user:password@/var/run/redis.sock?db=0';
const examples: Readonly<Record<RedisKind, string>> = {
  server: 'redis://user:password@host:6379/0',
  sentinel: 'redis+sentinel://user:password@host1:26379,host2:26379/name/0',
  cluster: 'redis+cluster://user:password@host1:6379,host2:6379',
};

/**
 * Reads `redis://user:password@host:6379/0`, `redis+sentinel://host1:26379,host2:26379/name/0` and
 * `redis+cluster://host1:6379,host2:6379`; `rediss` means TLS. `valkey` and `valkeys` mean the
 * same. `redis+unix:///var/run/redis.sock` is a Unix socket.
 * @throws `LOCK_MISCONFIGURED`, without quoting the URL, which may contain a password.
 */
export function readRedisUrl(text: string): RedisUrl {
  if (/^(?:redis|valkey)s?\+unix:/i.test(text)) return readSocketUrl(text);
  const [, , secure, form, authority = '', path = ''] = shape.exec(text) ?? [];
  if (secure === undefined) {
    const scheme = /^[a-z][a-z\d+.-]*:/i.exec(text)?.[0] ?? 'no scheme';
    throw misconfigured(redisSource.where, `its URL must start with redis:// or rediss://, not ${scheme}`);
  }
  const kind = (form?.toLowerCase() ?? 'server') as RedisKind;
  const read = readAuthority(authority, kind === 'sentinel' ? sentinelPort : serverPort);
  if (read === undefined || (read.hosts.length > 1 && kind === 'server')) throw unreadable(kind);
  return { kind, secure: secure !== '', ...read, ...readPath(path, kind) };
}

/** A server on a Unix socket. The whole URL is its path, so `db` is an option. */
function readSocketUrl(text: string): RedisUrl {
  const [, user = '', path] = unixShape.exec(text) ?? [];
  const read: Authority | undefined = path === undefined ? undefined : readAuthority(`${user}@`, serverPort);
  if (read === undefined || path === undefined) throw unreadable('server', unixExample);
  return { kind: 'server', secure: false, ...read, hosts: [{ host: decode(path, 'server'), port: 0 }] };
}

/** The address for clients: `path` is a Unix socket, which has no port. */
export function placeOf({ host, port }: Host): Host | { readonly path: string } {
  return host.startsWith('/') ? { path: host } : { host, port };
}

function readPath(path: string, kind: RedisKind): Pick<RedisUrl, 'name' | 'db'> {
  const parts = path.split('/').filter((part, index, all) => part !== '' || index < all.length - 1);
  const name = kind === 'sentinel' ? parts.shift() : undefined;
  // A "/" or "#" in the password would put the remainder here.
  if (path.includes('@')) throw unreadable(kind);
  if (kind === 'sentinel' && !name) {
    throw misconfigured(
      redisSource.where,
      `the path of its URL must be the name of the master at the Sentinels: ${examples.sentinel}`,
    );
  }
  const [db = '', ...more] = parts;
  if (kind === 'cluster' && db !== '') {
    throw misconfigured(redisSource.where, 'a Cluster has one database, so its URL must have no path');
  }
  if (!/^\d*$/.test(db) || more.length > 0) {
    throw misconfigured(
      redisSource.where,
      `the last part of the path of its URL must be the number of the database: ${examples[kind]}`,
    );
  }
  return { ...(name === undefined ? {} : { name: decode(name, kind) }), ...(db === '' ? {} : { db: Number(db) }) };
}

function decode(text: string, kind: RedisKind): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable(kind);
  }
}

function unreadable(kind: RedisKind, example: string = examples[kind]): LockError {
  return misconfigured(
    redisSource.where,
    `its URL cannot be read; write ${example}, with special characters of the password percent-encoded`,
  );
}
