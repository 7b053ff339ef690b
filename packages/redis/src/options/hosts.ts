import type { OptionReader } from '@locks/core/adapter';

/** Where a server listens. */
export interface RedisHost {
  /** A name, an address, or the path of a Unix socket, which has no port. */
  readonly host: string;
  readonly port: number;
}

/** What clients call a place: `path` is a Unix socket. */
export function placeOf({ host, port }: RedisHost): RedisHost | { readonly path: string } {
  return host.startsWith('/') ? { path: host } : { host, port };
}

const hostAndPort = /^(?:\[([\da-f:.]+)\]|([^\s[\]:@/,?#%]+))(?::(\d{1,5}))?$/i;

/** The host that `text` names: `name:port`, `[::1]:port`. `undefined` for any other text. */
export function readHost(text: string, defaultPort: number): RedisHost | undefined {
  const [, address, name, port] = hostAndPort.exec(text) ?? [];
  const host = address ?? name;
  const number = port === undefined ? defaultPort : Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number };
}

/** The hosts in `text`, separated by commas. `undefined` where one of them cannot be read. */
export function readHosts(text: string, defaultPort: number): readonly RedisHost[] | undefined {
  const hosts = text.split(',').map((one) => readHost(one, defaultPort));
  return hosts.every((one) => one !== undefined) ? hosts : undefined;
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
