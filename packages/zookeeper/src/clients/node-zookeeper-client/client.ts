import { misconfigured } from '@locks/core/adapter';

/** The result of a call: an error with a `code` of ZooKeeper, or a value. */
export type ClientCallback<Values extends readonly unknown[]> = (error: object | null, ...values: Values) => void;

/** 64-bit numbers are buffers. */
export interface ClientStat {
  readonly czxid: Buffer;
  readonly mzxid: Buffer;
  readonly ctime: Buffer;
  readonly mtime: Buffer;
  readonly version: number;
  readonly cversion: number;
  readonly aversion: number;
  readonly ephemeralOwner: Buffer;
  readonly dataLength: number;
  readonly numChildren: number;
  readonly pzxid: Buffer;
}

/** An entry of an access control list, in the client's types. */
export interface ClientAcl {
  readonly perms: number;
  readonly id: { readonly scheme: string; readonly id: string };
}

/** An event of a watch. */
export interface ClientEvent {
  readonly type: number;
  readonly path: string;
}

/** Steps of one transaction. */
export interface ClientTransaction {
  create(path: string, data: Buffer, acls: ClientAcl[], mode: number): unknown;
  setData(path: string, data: Buffer, version: number): unknown;
  check(path: string, version: number): unknown;
  remove(path: string, version: number): unknown;
  commit(callback: ClientCallback<[results: object[] | undefined]>): void;
}

/**
 * The calls used of a client of `node-zookeeper-client`, as `createClient` returns it. A wrapper
 * with these works, too, if it forwards the client's `connectionManager`.
 */
export interface NodeZookeeperClient {
  connect(): void;
  close(): void;
  getState(): { readonly name: string };
  getSessionId(): Buffer;
  getSessionPassword(): Buffer;
  /** In ms. */
  getSessionTimeout(): number;
  on(event: 'state', listener: (state: { readonly name: string }) => void): unknown;
  removeListener(event: 'state', listener: (state: { readonly name: string }) => void): unknown;
  create(path: string, data: Buffer, acls: ClientAcl[], mode: number, callback: ClientCallback<[path: string]>): void;
  remove(path: string, version: number, callback: ClientCallback<[]>): void;
  exists(path: string, callback: ClientCallback<[stat: ClientStat | null]>): void;
  getData(path: string, callback: ClientCallback<[data: Buffer | undefined, stat: ClientStat]>): void;
  getData(
    path: string,
    watcher: (event: ClientEvent) => void,
    callback: ClientCallback<[data: Buffer | undefined, stat: ClientStat]>,
  ): void;
  setData(path: string, data: Buffer, version: number, callback: ClientCallback<[stat: ClientStat]>): void;
  getChildren(path: string, callback: ClientCallback<[children: string[], stat: ClientStat]>): void;
  transaction(): ClientTransaction;
}

const methods = ['connect', 'close', 'getState', 'getSessionId', 'getData', 'transaction', 'on'] as const;

/** Whether `value` has the methods of a client of `node-zookeeper-client`. */
export function isClient(value: unknown): value is NodeZookeeperClient {
  if (typeof value !== 'object' || value === null) return false;
  return methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function');
}

/**
 * `value`, if it is a usable client.
 * @throws `LOCK_MISCONFIGURED` that describes what was passed.
 */
export function readClient(value: unknown): NodeZookeeperClient {
  if (!isClient(value))
    throw wrongClient(
      `gives ${kindOf(value)}, which is no client of node-zookeeper-client: write client: () => createClient("host1:2181,host2:2181")`,
    );
  const { connectionManager, options } = value as unknown as Partial<Record<string, Record<string, unknown>>>;
  if (
    typeof connectionManager?.['onSocketData'] !== 'function' ||
    typeof connectionManager['onSocketConnected'] !== 'function'
  )
    throw wrongClient(
      'gives a client without its "connectionManager": give what createClient of node-zookeeper-client 1.1 returns, not a proxy of it',
    );
  const retries = options?.['retries'];
  if (typeof retries === 'number' && retries > 0)
    throw wrongClient(
      `gives a client with retries: ${retries}, which would repeat the creation of nodes: leave "retries" out of createClient`,
    );
  return value;
}

export function wrongClient(why: string): Error {
  return misconfigured('@locks/zookeeper', `option "client" ${why}`);
}

function kindOf(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  if (typeof value !== 'object' || value === null) return value === undefined ? 'nothing' : `a ${typeof value}`;
  return `an object of the class ${value.constructor?.name ?? 'none'}`;
}
