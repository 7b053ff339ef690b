import { misconfigured } from '@locks/core/adapter';

/** A server and a database on it. */
export interface ServerAddress {
  /** A name, an address, or the path of a Unix socket (for Postgres: of its folder). */
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
}

/**
 * Reads `scheme://user:password@host:port/database`, all parts optional. `given`: replaces the
 * host.
 * @throws `LOCK_MISCONFIGURED`, without quoting the URL, which may contain a password.
 */
export function readServerUrl(text: string, scheme: string, port: number, given?: string): ServerAddress {
  try {
    // The URL standard does not allow a user without a host, as before the path of a socket.
    const url = new URL(text.replace(/@(?=\/|$)/, '@localhost'));
    // A "/" or "#" in the password would put the remainder here, and leave no host.
    if (!text.includes('://') || url.hash !== '' || url.pathname.includes('@')) throw new TypeError('No authority.');
    const host = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1'));
    // A decoded text that is no host name is a part of a user and a password.
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
