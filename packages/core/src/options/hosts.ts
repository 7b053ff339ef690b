import { isIPv6 } from 'node:net';
import type { OptionReader } from './option-reader.ts';

/** The address of a server. */
export interface Host {
  /** A name or an address, without brackets. */
  readonly host: string;
  /** From 1 to 65535. */
  readonly port: number;
}

/** What a URL with one or more hosts has between `//` and its path. */
export interface Authority {
  /** At least one. */
  readonly hosts: readonly Host[];
  /** Decoded. */
  readonly username: string | undefined;
  /** Decoded. */
  readonly password: string | undefined;
}

const hostAndPort = /^(?:\[([^\]]+)\]|([^\s[\]:@/,?#%]+))(?::(\d{1,5}))?$/;

/** The host in `text`: `name:port`, `[::1]:port`. `undefined` for any other text. */
export function readHost(text: string, defaultPort: number): Host | undefined {
  const [, address, name, digits] = hostAndPort.exec(text) ?? [];
  const host = address ?? name;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  return address === undefined || isIPv6(address) ? { host, port } : undefined;
}

/** `host:port`, for messages. */
export function printHost({ host, port }: Host): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A list of hosts, each as text: `['a:6379', 'b:6379']`, or one text with commas. */
export function hostList(defaultPort: number): OptionReader<readonly string[]> {
  const fits = (value: unknown): boolean => typeof value === 'string' && readHost(value, defaultPort) !== undefined;
  return {
    expects: 'a list of hosts',
    example: `host1:${defaultPort},host2:${defaultPort}`,
    accepts: (value): value is readonly string[] => Array.isArray(value) && value.length > 0 && value.every(fits),
    parse: (text) => text.split(','),
  };
}

/** Reads `user:password@host1:port,host2:port`. `undefined` for any other text. */
export function readAuthority(text: string, defaultPort: number): Authority | undefined {
  const at = text.lastIndexOf('@');
  const user = text.slice(0, Math.max(at, 0));
  const hosts = (text.slice(at + 1) || '127.0.0.1').split(',').map((each) => readHost(each, defaultPort));
  // Hosts before a second "@" would be taken for a part of the password.
  if (user.includes('@') || !hosts.every((each) => each !== undefined)) return undefined;
  try {
    const [name, ...password] = user.split(':').map((part) => decodeURIComponent(part));
    return { hosts, username: name || undefined, password: password.join(':') || undefined };
  } catch {
    return undefined;
  }
}
