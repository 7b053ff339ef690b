import { misconfigured, readAuthority } from '@locks/core/adapter';
import type { Authority, LockError } from '@locks/core/adapter';
import { source } from './options.ts';

/** A parsed URL. */
export interface EtcdUrl extends Authority {
  readonly secure: boolean;
  readonly prefix: string | undefined;
}

const example = 'etcd://user:password@host1:2379,host2:2379/prefix';
const shape = /^etcd(s?):\/\/([^/?#]*)\/?([^?#]*)$/i;

/** The default port of a member. */
export const memberPort = 2379;

/**
 * Reads `etcd://user:password@host1:2379,host2:2379/prefix`; `etcds` means TLS.
 * @throws `LOCK_MISCONFIGURED`, without quoting the URL, which may contain a password.
 */
export function readEtcdUrl(text: string): EtcdUrl {
  const [, secure, authority = '', path = ''] = shape.exec(text) ?? [];
  if (secure === undefined) {
    const scheme = /^[a-z][a-z\d+.-]*:/i.exec(text)?.[0] ?? 'no scheme';
    if (/^etcds?:$/i.test(scheme)) throw unreadable();
    throw misconfigured(source.where, `its URL must start with etcd:// or etcds://, not ${scheme}`);
  }
  const read = readAuthority(authority, memberPort);
  // A "/" in the password would put the remainder here.
  if (read === undefined || path.includes('@')) throw unreadable();
  const prefix = decode(path.replace(/\/$/, ''));
  return { secure: secure !== '', ...read, prefix: prefix === '' ? undefined : prefix };
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
    source.where,
    `its URL cannot be read; write ${example}, with special characters of the password percent-encoded`,
  );
}
