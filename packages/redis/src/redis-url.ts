import { misconfigured } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import { redisSource } from './options.ts';

/** What a URL says of a server, and of its user. */
export interface RedisUrl {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
}

/**
 * Reads `redis://user:password@host:6379/0` or `rediss:`, which is TLS.
 * @throws `LOCK_MISCONFIGURED` without the URL, which may have a password in it.
 */
export function readRedisUrl(text: string | undefined): RedisUrl {
  if (text === undefined) return { secure: false, host: '127.0.0.1', port: 6379 };
  const url = parse(text);
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw misconfigured(redisSource.where, `its URL must start with redis:// or rediss://, not ${url.protocol}`);
  }
  const path = url.pathname.replace(/^\//, '');
  if (!/^\d*$/.test(path)) {
    throw misconfigured(redisSource.where, `the path of its URL is the number of the database, not "${path}"`);
  }
  return {
    secure: url.protocol === 'rediss:',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1',
    port: url.port === '' ? 6379 : Number(url.port),
    ...(url.username === '' ? {} : { username: decode(url.username) }),
    ...(url.password === '' ? {} : { password: decode(url.password) }),
    ...(path === '' ? {} : { db: Number(path) }),
  };
}

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw unreadable();
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): LockError {
  return misconfigured(
    redisSource.where,
    'its URL cannot be read; write redis://user:password@host:6379/0, with special characters of the password percent-encoded',
  );
}
