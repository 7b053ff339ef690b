/** What ZooKeeper knows of a node besides its data. */
export interface Stat {
  /** The transaction that made the node. */
  readonly czxid: bigint;
  /** The transaction that set its data last. */
  readonly mzxid: bigint;
  /** When it was made, by the server's clock, in ms since 1970. */
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
  /** The last transaction that made or removed a child. */
  readonly pzxid: bigint;
}

/** One entry of a node's access control list. */
export interface Acl {
  readonly scheme: string;
  readonly id: string;
  /** A sum of read 1, write 2, create 4, delete 8 and admin 16. */
  readonly permissions: number;
}

/** What a server tells about a node that is watched, once. */
export interface WatchEvent {
  readonly type: 'created' | 'deleted' | 'changed' | 'children';
  readonly path: string;
}
