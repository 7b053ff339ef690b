import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { addressOf } from '../src/server/address.ts';

/** A connection to a Redis that needs no client library. */
export interface Connection extends Disposable {
  /**
   * Sends one inline command; resolves to all that comes back at once, trimmed. Rejects when the
   * connection ends first.
   */
  ask(command: string): Promise<string>;
  /** Resolves when the connection has ended, from whichever side. */
  readonly closed: Promise<void>;
}

export async function open(url: string): Promise<Connection> {
  const { host, port } = addressOf(new URL(url), 6379);
  const socket: Socket = connect({ host, port });
  const ended = new AbortController();
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      ended.abort(new Error('the connection ended before the answer'));
      resolve();
    });
  });
  socket.setEncoding('utf8');
  await once(socket, 'connect');
  socket.on('error', () => {});
  return {
    async ask(command) {
      socket.write(`${command}\r\n`);
      const [reply] = await once(socket, 'data', { signal: ended.signal });
      return String(reply).trim();
    },
    closed,
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/** One inline command over a connection of its own. */
export async function ask(url: string, command: string): Promise<string> {
  const connection = await open(url);
  try {
    return await connection.ask(command);
  } finally {
    connection[Symbol.dispose]();
  }
}
