import { misconfigured, printHost, readHost } from '@locks/core/adapter';

/**
 * The URLs of the Redis servers in a URL with several hosts:
 * `redlock://user:password@host:6379,host:6379,host:6379/0`, or `redlocks:` for TLS. They are
 * sorted by host and port, so that processes agree whatever their order.
 * @throws `LOCK_MISCONFIGURED`, without quoting the URL, which may contain a password.
 */
export function readRedlockUrl(url: string): readonly string[] {
  const [, secure, authority = '', database = ''] = /^redlock(s?):\/\/([^/]*)\/?(.*)$/i.exec(url) ?? [];
  const at = authority.lastIndexOf('@');
  const credentials = authority.slice(0, at + 1);
  // Hosts before a second "@" would be taken for a part of the password.
  if (secure === undefined || !/^\d*$/.test(database) || /@./.test(credentials)) throw unreadable();
  const servers = authority
    .slice(at + 1)
    .split(',')
    .map((text) => readServer(text))
    .toSorted();
  const twice = servers.find((server, index) => server === servers[index - 1]);
  if (twice !== undefined) {
    throw misconfigured('openLocks', `the URL has the host ${twice} twice, which would count as two stores`);
  }
  return servers.map((server) => `redis${secure.toLowerCase()}://${credentials}${server}/${database}`);
}

function readServer(text: string): string {
  const host = readHost(text.toLowerCase(), 6379);
  if (host === undefined) throw unreadable();
  return printHost(host);
}

function unreadable(): Error {
  return misconfigured(
    'openLocks',
    'the URL cannot be read; write redlock://user:password@host1:6379,host2:6379,host3:6379/0, with special characters of the password percent-encoded',
  );
}
