import { misconfigured } from '@locks/core/adapter';

/** A server and a database on it. */
export interface ServerAddress {
  /** A name, an address, or the path of a Unix socket (of Postgres: of its folder). */
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
}

/**
 * Reads `scheme://user:password@host:port/database`, all parts of which are optional. `given`: the
 * host in place of the URL's.
 * @throws `LOCK_MISCONFIGURED` without the URL, which may have a password in it.
 */
export function readServerUrl(text: string, scheme: string, port: number, given?: string): ServerAddress {
  try {
    // A user without a host, as before the path of a socket, is none of the standard's URLs.
    const url = new URL(text.replace(/@(?=\/|$)/, '@localhost'));
    // Behind a "/" or "#" of a password stands the rest of it, and before it no host.
    if (!text.includes('://') || url.hash !== '' || url.pathname.includes('@')) throw new TypeError('No authority.');
    const host = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1'));
    // A decoded text that is no name is a part of a user and a password.
    if (!host.startsWith('/') && /[\s@?#%,;=&'"|\\]/.test(host)) throw new TypeError('No host.');
    const database = decodeURIComponent(url.pathname.replace(/^\//, ''));
    return {
      host: given ?? (host || 'localhost'),
      port: Number(url.port || port),
      user: decodeURIComponent(url.username) || undefined,
      password: decodeURIComponent(url.password) || undefined,
      database: database || undefined,
    };
  } catch {
    throw misconfigured(
      '@locks/sql',
      `its URL cannot be read; write ${scheme}://user:password@host:${port}/database, with special characters of the password percent-encoded`,
    );
  }
}
