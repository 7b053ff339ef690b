import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * In front of the server at `url`, until the end of the test: `join` passes on what a client and
 * the server say. The URL is that of the front, which is a Unix socket where `path` is given.
 */
export async function startFront(
  url: string,
  join: (client: Socket, server: Socket) => void,
  path?: string,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const front = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
    join(client, server);
  });
  await new Promise<void>((resolve) =>
    path === undefined ? front.listen(0, '127.0.0.1', resolve) : front.listen(path, resolve),
  );
  onTestFinished(() => {
    front.close();
    for (const socket of sockets) socket.destroy();
  });
  if (path !== undefined) return url;
  return Object.assign(new URL(url), { host: `127.0.0.1:${(front.address() as AddressInfo).port}` }).href;
}
