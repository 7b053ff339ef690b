import { ProtocolError } from './protocol-error.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** ZooKeeper's metadata of a node. */
export interface Stat {
  /** The transaction that created the node. */
  readonly czxid: bigint;
  /** The transaction that set its data last. */
  readonly mzxid: bigint;
  /** When it was created, by the server's clock, in ms since 1970. */
  readonly ctime: bigint;
  readonly mtime: bigint;
  /** How often its data was set. */
  readonly version: number;
  /** How often its children changed. */
  readonly cversion: number;
  readonly aversion: number;
  /** The session whose end removes the node; 0: none. */
  readonly ephemeralOwner: bigint;
  readonly dataLength: number;
  readonly numChildren: number;
  /** The last transaction that created or removed a child. */
  readonly pzxid: bigint;
}

/** One entry of a node's access control list. */
export interface Acl {
  /** How clients authenticate: `digest`, `sasl`, `x509`, `ip`, `world`. */
  readonly scheme: string;
  /** The identity, in the form of the scheme. */
  readonly id: string;
  /** A sum of read 1, write 2, create 4, delete 8 and admin 16. */
  readonly permissions: number;
}

/** The sum of all permissions. */
export const allPermissions = 31;

/** A server's single event of a watched node. */
export interface WatchEvent {
  readonly type: 'created' | 'deleted' | 'changed' | 'children';
  readonly path: string;
}

export function readStat(reader: Reader): Stat {
  return {
    czxid: reader.long(),
    mzxid: reader.long(),
    ctime: reader.long(),
    mtime: reader.long(),
    version: reader.int(),
    cversion: reader.int(),
    aversion: reader.int(),
    ephemeralOwner: reader.long(),
    dataLength: reader.int(),
    numChildren: reader.int(),
    pzxid: reader.long(),
  };
}

export function writeAcl(writer: Writer, acl: readonly Acl[]): void {
  writer.vector(acl, ({ permissions, scheme, id }) => {
    writer.int(permissions);
    writer.string(scheme);
    writer.string(id);
  });
}

/** By the numbers of the protocol. */
export const eventTypes: ReadonlyMap<number, WatchEvent['type']> = new Map([
  [1, 'created'],
  [2, 'deleted'],
  [3, 'changed'],
  [4, 'children'],
]);

export function readEvent(reader: Reader): WatchEvent {
  const number = reader.int();
  const type = eventTypes.get(number);
  if (type === undefined) throw new ProtocolError(`an event of the unknown type ${number}`);
  // The state of the session: the connection knows better.
  reader.int();
  return { type, path: reader.string() };
}
