import { Socket } from 'node:net';
import type { ServerAddress } from './server-url.ts';

/** In ms: a dead connection behind a firewall that drops idle ones is detected after this long. */
export const keepAliveDelay = 10_000;

/**
 * The sockets of one pool, to be destroyed if the server does not answer the end of their
 * connections.
 */
export class Sockets {
  readonly #open = new Set<Socket>();
  /** The path of the Unix socket; `undefined`: the server uses TCP. */
  readonly path: string | undefined;

  constructor({ host }: ServerAddress) {
    this.path = host.startsWith('/') ? host : undefined;
  }

  /** A socket that is not connected yet. */
  create(): Socket {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return this.path === undefined ? socket.setNoDelay(true).setKeepAlive(true, keepAliveDelay) : socket;
  }

  /** Resolves when those that are open now are closed. */
  async closed(): Promise<void> {
    await Promise.all(Array.from(this.#open, (socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
