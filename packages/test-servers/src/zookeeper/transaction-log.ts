import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A change of the tree in a server's log. */
export type Change =
  | {
      readonly kind: 'create';
      readonly path: string;
      /**
       * How many children its parent has had, this one included; -1 is one more than before. A
       * number that it has passed is ignored.
       */
      readonly parentCreations: number;
    }
  | { readonly kind: 'delete'; readonly path: string };

/**
 * Adds a log with `changes` to the data of a single server that is not running. The server replays
 * it at its start, and ignores impossible changes, such as creating an existing node.
 *
 * The format is that of org.apache.zookeeper.server.persistence.FileTxnLog. After a header, each
 * change has its checksum (Adler-32), its size, its bytes and an end mark. The bytes are TxnHeader
 * and CreateTxn or DeleteTxn of zookeeper.jute.
 */
export async function appendChanges(dataFolder: string, changes: readonly Change[]): Promise<void> {
  const folder = join(dataFolder, 'version-2');
  const first = await nextTransactionId(folder);
  const entries = changes.map((change, index) => entry(change, first + BigInt(index)));
  const header = Buffer.concat([Buffer.from('ZKLG'), int(2), long(0n)]);
  await writeFile(join(folder, `log.${first.toString(16)}`), Buffer.concat([header, ...entries]), { flag: 'wx' });
}

/**
 * The id is of an epoch that has not begun. Logs record where they begin, but not where they end.
 */
async function nextTransactionId(folder: string): Promise<bigint> {
  const names = await readdir(folder);
  const begins = names.map((name) => BigInt(`0x${/^(?:log|snapshot)\.([0-9a-f]+)$/.exec(name)?.[1] ?? '0'}`));
  const last = begins.reduce((high, begin) => (begin > high ? begin : high), 0n);
  return (((last >> 32n) + 1n) << 32n) + 1n;
}

function entry(change: Change, transactionId: bigint): Buffer {
  const type = { create: 1, delete: 2 }[change.kind];
  const header = [long(0n), int(0), long(transactionId), long(BigInt(Date.now())), int(type)];
  const bytes = Buffer.concat([...header, ...body(change)]);
  return Buffer.concat([long(BigInt(adler32(bytes))), int(bytes.length), bytes, Buffer.from('B')]);
}

function body(change: Change): readonly Buffer[] {
  switch (change.kind) {
    case 'create': {
      const openAcl = [int(1), int(31), text('world'), text('anyone')];
      const ephemeral = Buffer.from([0]);
      return [text(change.path), int(0), ...openAcl, ephemeral, int(change.parentCreations)];
    }
    case 'delete':
      return [text(change.path)];
    default:
      return change satisfies never;
  }
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int(Buffer.byteLength(value)), Buffer.from(value)]);
}

/** RFC 1950, section 8.2. */
function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
}
