import type { Reader } from '../measure/tap.ts';

/** The requests of clients to a ZooKeeper, by operation. */
export type Operations = Map<string, number>;

/** The first frame of a connection has no operation code. */
const handshake = 'connect';

/** As `org.apache.zookeeper.ZooDefs.OpCode` has them. */
const names: Readonly<Record<number, string>> = {
  1: 'create',
  2: 'delete',
  3: 'exists',
  4: 'getData',
  5: 'setData',
  6: 'getACL',
  7: 'setACL',
  8: 'getChildren',
  9: 'sync',
  11: 'ping',
  12: 'getChildren2',
  13: 'check',
  14: 'multi',
  15: 'create2',
  18: 'removeWatches',
  19: 'createContainer',
  22: 'multiRead',
  100: 'auth',
  101: 'setWatches',
  105: 'setWatches2',
  106: 'addWatch',
  [-11]: 'closeSession',
};

/**
 * Reads what one client sends, as it arrives, and adds it to `operations`. Not for encrypted
 * connections.
 */
export class RequestReader implements Reader {
  readonly #operations: Operations;
  #rest: Buffer = Buffer.alloc(0);
  #started = false;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  read(chunk: Buffer): void {
    let buffer = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (buffer.length >= 4) {
      const length = 4 + buffer.readInt32BE(0);
      if (buffer.length < length) break;
      this.#count(this.#started ? buffer.readInt32BE(8) : undefined);
      this.#started = true;
      buffer = buffer.subarray(length);
    }
    this.#rest = buffer;
  }

  #count(code: number | undefined): void {
    const name = code === undefined ? handshake : (names[code] ?? `operation ${code}`);
    this.#operations.set(name, (this.#operations.get(name) ?? 0) + 1);
  }
}
