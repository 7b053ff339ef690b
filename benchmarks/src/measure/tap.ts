import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Reads what one client sends, as it arrives. */
export interface Reader {
  read(chunk: Buffer): void;
}

/** A connection to a server, on which requests of clients are read. */
export interface Tap extends AsyncDisposable {
  /** The URL of the server through the tap. */
  readonly url: string;
}

/** `reader` makes one for each connection. */
export async function openTap(target: string, reader: () => Reader): Promise<Tap> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const own = reader();
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // Either end may close at any time, and closes the other.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => own.read(chunk));
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = `${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
