import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Reads what one client sends, as it comes. */
export interface Reader {
  read(chunk: Buffer): void;
}

/** A way to a server on which is read what clients say. */
export interface Tap extends AsyncDisposable {
  /** That of the server, by way of the tap. */
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
      // Either end may go at any time, and takes the other with it.
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
