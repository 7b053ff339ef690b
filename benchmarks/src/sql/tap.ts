import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { FrontendReader } from './frontend-messages.ts';
import type { Tally } from './frontend-messages.ts';

/** A way to a Postgres on which is counted what clients say. */
export interface Tap extends AsyncDisposable {
  /** That of the server, by way of the tap. */
  readonly url: string;
  readonly tally: Tally;
}

export async function openTap(target: string): Promise<Tap> {
  const { hostname, port } = new URL(target);
  const tally: Tally = { connections: 0, statements: 0, roundTrips: 0 };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const reader = new FrontendReader(tally);
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
    client.on('data', (chunk: Buffer) => reader.read(chunk));
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = `${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    tally,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
