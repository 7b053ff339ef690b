/** Where a member listens for clients. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** The port of a member, where none is given. */
const defaultPort = 2379;

const hostAndPort = /^(?:\[([\da-f:.]+)\]|([^\s[\]:@/,?#%]+))(?::(\d{1,5}))?$/i;

/** The hosts in `text`: `a:2379,[::1]:2379`. `undefined` where one of them cannot be read. */
export function readHosts(text: string): readonly Host[] | undefined {
  const hosts = text.split(',').map(readHost);
  return hosts.every((one) => one !== undefined) ? hosts : undefined;
}

/** As a message shows it. */
export function nameOf({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function readHost(text: string): Host | undefined {
  const [, address, name, digits] = hostAndPort.exec(text) ?? [];
  const host = address ?? name;
  const port = digits === undefined ? defaultPort : Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}
