import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { listen, startProxy } from '@locks/test-servers';
import type { Proxy } from '@locks/test-servers';
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
  const front = await listen((client) => {
    const server = connect(Number(port), hostname).on('error', () => {});
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    join(client, server);
  }, path);
  onTestFinished(() => front.stop());
  return path === undefined ? Object.assign(new URL(url), { host: `${front.host}:${front.port}` }).href : url;
}

/** A proxy before the server at `url`, until the end of the test. */
export async function proxyTo(url: string, options: Parameters<typeof startProxy>[1] = {}): Promise<Proxy> {
  const { hostname, port } = new URL(url);
  const proxy = await startProxy({ host: hostname, port: Number(port) }, options);
  onTestFinished(() => proxy.stop());
  return proxy;
}
