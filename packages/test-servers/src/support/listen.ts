import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A server that a test has written. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Ends the connections, too. */
  stop(): Promise<void>;
}

/**
 * Listens on a port of this machine, or at the socket `path`, and gives each connection to `serve`.
 * Without it the server accepts connections and says nothing.
 */
export async function listen(
  serve: (socket: Socket) => void = (socket) => void socket.resume(),
  path?: string,
): Promise<Listener> {
  const host = '127.0.0.1';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket);
  });
  server.listen(path === undefined ? { port: 0, host } : { path });
  await once(server, 'listening');
  const address = server.address() as AddressInfo | string;
  return {
    host,
    port: typeof address === 'string' ? 0 : address.port,
    sockets,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
