import { misconfigured, printHost, readHost } from '@locks/core/adapter';
import type { Host } from '@locks/core/adapter';

/** The address of one server. */
export type Address = Host;

/** A parsed connect string. */
export interface ConnectString {
  /** In the order of the string. */
  readonly addresses: readonly Address[];
  /** The chroot: `''` or `/a/b`. */
  readonly chroot: string;
}

const defaultPort = 2181;

/**
 * Reads `host1:2181,[::1]:2182,host2/chroot/path`.
 * @throws `LOCK_MISCONFIGURED`.
 */
export function readConnectString(text: string): ConnectString {
  const slash = text.indexOf('/');
  const servers = slash === -1 ? text : text.slice(0, slash);
  // Not shown: what precedes it may be a password.
  if (text.includes('@'))
    throw misconfigured('@locks/zookeeper', "the connect string has an '@': give credentials by the option 'auth'");
  if (servers.trim() === '')
    throw misconfigured('@locks/zookeeper', "the connect string names no server: write 'host1:2181,host2:2181'");
  const addresses = servers.split(',').map((server, index) => readAddress(server.trim(), index + 1));
  return { addresses, chroot: slash === -1 ? '' : readChroot(text.slice(slash)) };
}

/** Several of them: `host1:port,host2:port`. */
export function printAddresses(addresses: readonly Address[]): string {
  return addresses.map(printHost).join(',');
}

/** `number`: of the server, for messages. Its text may be part of a password. */
function readAddress(server: string, number: number): Address {
  const read = readHost(server, defaultPort);
  if (read !== undefined) return read;
  if (server === '')
    throw misconfigured('@locks/zookeeper', 'the connect string has an empty server: take out the extra comma');
  const isPort = readHost(server.replace(/:[^:\]]*$/, ''), defaultPort) !== undefined;
  const why = isPort ? 'its port must be a number from 1 to 65535' : "write 'host', 'host:port' or '[IPv6]:port'";
  throw misconfigured('@locks/zookeeper', `server ${number} of the connect string cannot be read: ${why}`);
}

function readChroot(path: string): string {
  if (path === '/') return '';
  const names = path.slice(1).split('/');
  if (
    names.some(
      (name) =>
        name === '' || name === '.' || name === '..' || /[\0-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\uffff]/.test(name),
    )
  )
    throw misconfigured(
      '@locks/zookeeper',
      "the chroot of the connect string cannot be read: write '/a/b', without empty names, '.', '..' and control characters",
    );
  return path;
}
