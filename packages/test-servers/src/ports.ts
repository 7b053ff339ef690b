import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free TCP port of `host`. Another process may take it before the caller does: then take another.
 * It lies below the range of outgoing connections (32768 on Linux, 49152 on macOS): while a server
 * is down, a client that keeps connecting to a port of that range can be given the same port as its
 * own, and is then connected to itself.
 */
async function findFreePort(host: string): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(12_000, 32_000);
    if (await canListen(host, port)) return port;
  }
  throw new Error(`found no free TCP port from 12000 to 31999 on ${host} in 100 attempts`);
}

async function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Thrown by a start that found its port taken. */
export class PortTakenError extends Error {}

/**
 * Runs `start` with a free port of `host`, and with another one when that was taken meanwhile, at
 * most five times.
 */
export function startOnFreePort<T>(host: string, start: (port: number) => Promise<T>): Promise<T> {
  return startOnFreePorts(host, 1, ([port = 0]) => start(port));
}

/** `startOnFreePort` for what needs `count` ports. */
export async function startOnFreePorts<T>(
  host: string,
  count: number,
  start: (ports: readonly number[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const ports = new Set<number>();
    while (ports.size < count) ports.add(await findFreePort(host));
    try {
      return await start([...ports]);
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === 5) throw error;
    }
  }
}
