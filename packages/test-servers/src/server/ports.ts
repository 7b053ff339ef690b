import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free TCP port of `host`. Another process may take it before the caller does: then choose
 * another. It is below the range of outgoing connections, which begins at 32768 on Linux and at
 * 49152 on macOS: a client that reconnects to a port of that range while the server is down can get
 * the same port as its own, and connect to itself.
 */
export async function findFreePort(host: string, choose: () => number = choosePort): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = choose();
    if (!(await isHeld(host, port)) && (await canListen(host, port))) return port;
  }
  throw new Error(`found no free TCP port from 12000 to 31999 on ${host} in 100 attempts`);
}

function choosePort(): number {
  return randomInt(12_000, 32_000);
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

/**
 * Reserves the TCP port `port` of `host` for a server that is restarting: no other server or proxy
 * of these packages takes it, in any process. The reservation is a UDP socket on the same port,
 * which ends with this process. Resolves to a function that ends it. Rejects with a
 * `PortTakenError`.
 */
export async function holdPort(host: string, port: number): Promise<() => void> {
  const socket = createSocket('udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ port, address: host, exclusive: true }, resolve);
    });
  } catch (error) {
    socket.close();
    throw new PortTakenError(`port ${port} of ${host} is held for another server`, { cause: error });
  }
  socket.unref();
  let held = true;
  return () => {
    if (held) socket.close();
    held = false;
  };
}

async function isHeld(host: string, port: number): Promise<boolean> {
  try {
    const letGo = await holdPort(host, port);
    letGo();
    return false;
  } catch {
    return true;
  }
}

/**
 * A port of 127.0.0.1 without a listener. No server or proxy of these packages takes it while this
 * process runs: it would receive the clients of a test without a server.
 */
export function unusedPort(): Promise<number> {
  return startOnFreePort('127.0.0.1', async (port) => {
    await holdPort('127.0.0.1', port);
    return port;
  });
}

/** Thrown by a start that found its port taken. */
export class PortTakenError extends Error {}

/**
 * Runs `start` with a free port of `host`, and retries with another one if that was taken, at most
 * five times.
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
