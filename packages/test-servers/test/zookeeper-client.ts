import { once } from 'node:events';
import { connect } from 'node:net';
import { addressOf } from '../src/server/address.ts';

/**
 * A session with a ZooKeeper that needs no client library; its requests are answered in their
 * order.
 */
export interface ZookeeperSession extends Disposable {
  /** In ms: what the server grants. */
  readonly timeout: number;
  create(path: string, value: string): Promise<void>;
  set(path: string, value: string): Promise<void>;
  /** `undefined`: there is no such node. */
  get(path: string): Promise<string | undefined>;
}

const noNode = -101;
const operations = { create: 1, get: 4, set: 5 } as const;

/** Opens a session; rejects when the connection ends first. */
export async function openZookeeper(url: string, timeout: number = 30_000): Promise<ZookeeperSession> {
  const socket = connect(addressOf(new URL(url), 2181));
  const waiting: { resolve: (reply: Buffer) => void; reject: (error: Error) => void }[] = [];
  let received = Buffer.alloc(0);
  let failure = new Error('the connection ended before the answer');
  socket.once('close', () => {
    for (const { reject } of waiting.splice(0)) reject(failure);
  });
  socket.on('error', (error: Error) => {
    failure = error;
  });
  socket.on('data', (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
      const end = 4 + received.readInt32BE(0);
      waiting.shift()?.resolve(received.subarray(4, end));
      received = received.subarray(end);
    }
  });

  function exchange(...parts: readonly Buffer[]): Promise<Buffer> {
    const frame = Buffer.concat(parts);
    return new Promise((resolve, reject) => {
      if (socket.closed) reject(failure);
      waiting.push({ resolve, reject });
      socket.write(Buffer.concat([int(frame.length), frame]));
    });
  }

  async function ask(operation: keyof typeof operations, ...body: readonly Buffer[]): Promise<Buffer> {
    const reply = await exchange(int(1), int(operations[operation]), ...body);
    const code = reply.readInt32BE(12);
    if (code !== 0) throw new Error(`ZooKeeper answered with error ${code}`, { cause: code });
    return reply.subarray(16);
  }

  await once(socket, 'connect');
  const session = [int(0), Buffer.alloc(8), int(timeout), Buffer.alloc(8), bytes(Buffer.alloc(16))];
  const accepted = await exchange(...session, Buffer.from([0]));
  return {
    timeout: accepted.readInt32BE(4),
    async create(path, value) {
      const openAcl = [int(1), int(31), bytes('world'), bytes('anyone')];
      await ask('create', bytes(path), bytes(value), ...openAcl, int(0));
    },
    async set(path, value) {
      await ask('set', bytes(path), bytes(value), int(-1));
    },
    async get(path) {
      try {
        const reply = await ask('get', bytes(path), Buffer.from([0]));
        return reply.toString('utf8', 4, 4 + reply.readInt32BE(0));
      } catch (error) {
        if ((error as Error).cause === noNode) return undefined;
        throw error;
      }
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

function int(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function bytes(value: string | Buffer): Buffer {
  const content = Buffer.from(value);
  return Buffer.concat([int(content.length), content]);
}
