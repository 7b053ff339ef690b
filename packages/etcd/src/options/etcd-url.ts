import { misconfigured } from '@locks/core/adapter';
import type { LockError, OptionReader } from '@locks/core/adapter';
import { readHosts } from './host.ts';
import type { Host } from './host.ts';
import { source } from './options.ts';

/** What a URL says. */
export interface EtcdUrl {
  readonly secure: boolean;
  readonly hosts: readonly Host[];
  readonly prefix: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const example = 'etcd://user:password@host1:2379,host2:2379/prefix';
const shape = /^etcd(s?):\/\/([^/?#]*)\/?([^?#]*)$/i;

/** Option `endpoints`. In a URL's query, commas separate them. */
export const hostsReader: OptionReader<readonly string[]> = {
  expects: 'a list of members, such as ["host1:2379", "host2:2379"]',
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === 'string' && !one.includes(',') && readHosts(one) !== undefined),
  parse: (text) => text.split(','),
};

/**
 * Reads `etcd://user:password@host1:2379,host2:2379/prefix`. With `etcds` in front, it is TLS.
 * @throws `LOCK_MISCONFIGURED` without the URL, which may have a password in it.
 */
export function readEtcdUrl(text: string): EtcdUrl {
  const [, secure, authority = '', path = ''] = shape.exec(text) ?? [];
  if (secure === undefined) {
    const scheme = /^[a-z][a-z\d+.-]*:/i.exec(text)?.[0] ?? 'no scheme';
    if (/^etcds?:$/i.test(scheme)) throw unreadable();
    throw misconfigured(source.where, `its URL must start with etcd:// or etcds://, not ${scheme}`);
  }
  const at = authority.lastIndexOf('@');
  const hosts = readHosts(authority.slice(at + 1) || '127.0.0.1');
  const [username, password] = readUser(authority.slice(0, Math.max(at, 0)));
  // Behind a "/" of a password stands the rest of it.
  if (hosts === undefined || path.includes('@')) throw unreadable();
  const prefix = decode(path.replace(/\/$/, ''));
  return { secure: secure !== '', hosts, prefix: prefix === '' ? undefined : prefix, username, password };
}

function readUser(text: string): readonly [string | undefined, string | undefined] {
  // Hosts before a second "@" would be taken for a part of the password.
  if (text.includes('@')) throw unreadable();
  if (text === '') return [undefined, undefined];
  const colon = text.indexOf(':');
  if (colon === -1) return [decode(text), undefined];
  return [decode(text.slice(0, colon)), decode(text.slice(colon + 1))];
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
