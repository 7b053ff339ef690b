import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { type Proxy, type ProxyOptions, type Target, startProxy } from '../src/index.ts';

/** One end of a connection, and what happened to it. */
export interface End {
  readonly socket: Socket;
  /** All that has arrived. */
  readonly text: string;
  /** The other side has finished writing. */
  readonly ended: boolean;
  readonly closed: boolean;
  /** The code of the error that ended it. */
  readonly failure: string | undefined;
  write(text: string): void;
  /** Resolves when exactly `text` has arrived since the beginning. */
  received(text: string): Promise<void>;
  untilClosed(): Promise<void>;
  untilEnded(): Promise<void>;
}

function endOf(socket: Socket): End {
  let text = '';
  let ended = false;
  let failure: string | undefined;
  socket.setEncoding('utf8');
  socket.on('data', (more: string) => (text += more));
  socket.on('end', () => (ended = true));
  socket.on('error', (error: NodeJS.ErrnoException) => (failure = error.code));
  return {
    socket,
    get text() {
      return text;
    },
    get ended() {
      return ended;
    },
    get closed() {
      return socket.closed;
    },
    get failure() {
      return failure;
    },
    write: (more) => void socket.write(more),
    received: (expected) =>
      until(
        `${JSON.stringify(expected)} to arrive`,
        () => text === expected,
        () => text,
      ),
    untilClosed: () => until('the connection to close', () => socket.closed),
    untilEnded: () => until('the other side to finish', () => ended),
  };
}

/** A server that keeps what it gets and answers what it is told to. */
export interface Recorder extends Target {
  /** In the order of their arrival. */
  readonly connections: readonly End[];
  /** The connection `index`, once it is there. */
  connection(index?: number): Promise<End>;
}

/** A server of the running test; `answer` is what it sends for each piece. */
export async function startRecorder(
  answer: (piece: string) => string | undefined = () => undefined,
): Promise<Recorder> {
  const connections: End[] = [];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    connections.push(endOf(socket));
    socket.on('data', (piece: string) => {
      const text = answer(piece);
      if (text !== undefined) socket.write(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const { socket } of connections) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { readonly port: number };
  return {
    host: '127.0.0.1',
    port,
    connections,
    async connection(index = 0) {
      await until(`connection ${index}`, () => connections.length > index);
      return connections[index]!;
    },
  };
}

/** A connection of the running test, made or refused; half-open when the other side ends. */
export async function dial({ host, port }: Target): Promise<End> {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
  onTestFinished(() => void socket.destroy());
  const end = endOf(socket);
  await until('a connection or a refusal', () => socket.closed || !socket.connecting);
  return end;
}

/** Resolves when `holds` answers true. */
export async function until(what: string, holds: () => boolean, seen: () => unknown = () => ''): Promise<void> {
  await vi.waitFor(
    () => {
      if (!holds()) throw new Error(`waited in vain for ${what} ${JSON.stringify(seen())}`);
    },
    { timeout: 10_000, interval: 2 },
  );
}

/** Starts a proxy of the running test. */
export async function proxyTo(target: Target, options: ProxyOptions = {}): Promise<Proxy> {
  const proxy = await startProxy(target, options);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/**
 * A server that answers each piece with the same in upper case, a proxy, a client, and the server's
 * end of its connection.
 */
export async function linked(
  answer: (piece: string) => string | undefined = (piece) => piece.toUpperCase(),
): Promise<{ proxy: Proxy; target: Target; client: End; server: End }> {
  const target = await startRecorder(answer);
  const proxy = await proxyTo(target);
  const client = await dial(proxy);
  return { proxy, target, client, server: await target.connection() };
}

/**
 * Resolves when all that `client` wrote before has reached the proxy: what the server writes takes
 * the same event loop.
 */
export async function flushed(client: End, server: End): Promise<void> {
  for (const mark of ['<', '>']) {
    server.write(mark);
    const expected = client.text + mark;
    await client.received(expected);
  }
}
