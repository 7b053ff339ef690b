import type { Address, Json } from '@locks/conformance/nemesis';

/** The ports of schemes whose servers a proxy can stand before. With TLS it has another name. */
const ports: Readonly<Record<string, number>> = {
  ...{ redis: 6379, valkey: 6379, redlock: 6379 },
  ...{ postgres: 5432, postgresql: 5432, mysql: 3306, mariadb: 3306 },
  ...{ etcd: 2379, zookeeper: 2181 },
};

/** A configuration, with its servers apart. */
export interface ThroughProxies {
  /** The same, where `{host:0}:{port:0}` stands for the first server. */
  readonly args: Json;
  readonly servers: readonly Address[];
}

/** Takes the servers out of all URLs of `config`, so that they can be reached by proxies. */
export function throughProxies(config: Json): ThroughProxies {
  const servers: Address[] = [];
  const replaced = (text: string): string => {
    const [, scheme = '', login = '', hosts = '', rest = ''] =
      /^([a-z]+):\/\/([^/?#@]*@)?([^/?#]+)(.*)$/.exec(text) ?? [];
    const port = ports[scheme];
    if (port === undefined || /[?&](?:ssl|tls)/i.test(rest)) return text;
    const numbers = hosts.split(',').map((host) => servers.push(addressOf(host, port)) - 1);
    return `${scheme}://${login}${numbers.map((number) => `{host:${number}}:{port:${number}}`).join(',')}${rest}`;
  };
  const walk = (value: Json): Json => {
    if (typeof value === 'string') return replaced(value);
    if (Array.isArray(value)) return value.map((each: Json) => walk(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, walk(each)]));
  };
  return { args: walk(config), servers };
}

/** `[::1]:6379` is a host as well. */
function addressOf(text: string, usual: number): Address {
  const [, six, name = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { host: six ?? name, port: port === undefined ? usual : Number(port) };
}
