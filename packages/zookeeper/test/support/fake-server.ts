import type { Socket } from 'node:net';
import { listen } from '@locks/test-servers';
import { Writer } from '../../src/wire/writer.ts';
import { frames } from './frames.ts';
import type { Address } from '../../src/connection/address.ts';

/**
 * A server that says what a test tells it to: for bytes that no real server sends. What real
 * servers do is tested on real ones.
 */
export interface FakeServer extends AsyncDisposable {
  readonly address: Address;
  /** The next client that connects, or one that did and was not asked for yet. */
  client(): Promise<FakeClient>;
  stop(): Promise<void>;
}

/** A request, as it came. */
export interface FakeRequest {
  readonly xid: number;
  readonly op: number;
  /** What follows the header. */
  readonly body: Buffer;
}

/** One connection, seen from the server. Nothing is answered unless the test says so. */
export interface FakeClient {
  readonly socket: Socket;
  /** How many chunks of bytes have come. */
  readonly chunks: number;
  /** The next frame, without its length. */
  frame(): Promise<Buffer>;
  request(): Promise<FakeRequest>;
  /** Sends bytes as they are. */
  send(...bytes: readonly Buffer[]): void;
  /** Reads the connect request and begins a session. Resolves to the request. */
  accept(answer?: Partial<AcceptParts>): Promise<Buffer>;
  /** Resolves when the client has ended the connection. */
  gone(): Promise<void>;
}

/** What the answer to a connect request says. */
export interface AcceptParts {
  readonly timeout: number;
  readonly id: bigint;
  readonly readOnly: boolean;
}

export async function startFakeServer(): Promise<FakeServer> {
  const waiting: FakeClient[] = [];
  const wanted: ((client: FakeClient) => void)[] = [];
  const { host, port, stop } = await listen((socket) => {
    const client = fakeClient(socket);
    const want = wanted.shift();
    if (want === undefined) waiting.push(client);
    else want(client);
  });
  return {
    address: { host, port },
    client() {
      const client = waiting.shift();
      return client === undefined ? new Promise((resolve) => wanted.push(resolve)) : Promise.resolve(client);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A frame: the length of what `write` writes, and that. */
export function frameOf(write: (writer: Writer) => void): Buffer {
  const writer = new Writer();
  const frame = writer.beginFrame();
  write(writer);
  writer.endFrame(frame);
  return Buffer.from(writer.take());
}

/** What stands before the body of a reply. */
export function replyTo(xid: number, code: number = 0, write: (writer: Writer) => void = () => {}, zxid = 1n): Buffer {
  return frameOf((writer) => {
    writer.int(xid);
    writer.long(zxid);
    writer.int(code);
    write(writer);
  });
}

export function eventOf(type: number, path: string): Buffer {
  return replyTo(
    -1,
    0,
    (writer) => {
      writer.int(type);
      writer.int(3);
      writer.string(path);
    },
    -1n,
  );
}

export function acceptance({ timeout = 6_000, id = 7n, readOnly = false }: Partial<AcceptParts> = {}): Buffer {
  return frameOf((writer) => {
    writer.int(0);
    writer.int(timeout);
    writer.long(id);
    writer.bytes(Buffer.alloc(16, 1));
    writer.bool(readOnly);
  });
}

function fakeClient(socket: Socket): FakeClient {
  const come: Buffer[] = [];
  const wanted: ((frame: Buffer) => void)[] = [];
  let chunks = 0;
  socket.on('data', () => (chunks += 1));
  socket.on(
    'data',
    frames((whole) => {
      const content = whole.subarray(4);
      const want = wanted.shift();
      if (want === undefined) come.push(content);
      else want(content);
    }),
  );
  // A client that ends its connection with bytes unread resets it.
  socket.on('error', () => {});
  const gone = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });

  function frame(): Promise<Buffer> {
    const first = come.shift();
    return first === undefined ? new Promise((resolve) => wanted.push(resolve)) : Promise.resolve(first);
  }

  return {
    socket,
    get chunks() {
      return chunks;
    },
    frame,
    async request() {
      const bytes = await frame();
      return { xid: bytes.readInt32BE(0), op: bytes.readInt32BE(4), body: bytes.subarray(8) };
    },
    send: (...bytes) => void socket.write(Buffer.concat(bytes)),
    async accept(answer) {
      const request = await frame();
      socket.write(acceptance(answer));
      return request;
    },
    gone: () => gone,
  };
}

/** Answers the question for the mode, and lets `begin` answer connect requests, which it counts. */
export function serve(server: FakeServer, begin: (client: FakeClient) => unknown): { readonly begun: number } {
  const count = { begun: 0 };
  const answer = (client: FakeClient): void => {
    client.socket.once('data', (chunk: Buffer) => {
      if (chunk.equals(Buffer.from('srvr'))) {
        // After the end of the connection that it is asked about.
        setTimeout(() => client.socket.end('Mode: standalone\n'), 60);
        return;
      }
      count.begun += 1;
      begin(client);
    });
  };
  const answerAll = async (): Promise<never> => {
    for (;;) answer(await server.client());
  };
  void answerAll();
  return count;
}
