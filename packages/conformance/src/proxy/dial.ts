import { type Socket, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The address of the server. */
export interface Target {
  /** A name or an address. */
  readonly host: string;
  /** The TCP port. */
  readonly port: number;
}

/** A connection to `target`, in the making. */
export function dial({ host, port }: Target): Socket {
  return connect({ host, port, allowHalfOpen: true, noDelay: true });
}

/**
 * An open connection to `target`; retries while no process listens there and it is `wanted`, for
 * `patience` ms, and then rejects.
 */
export async function dialPatiently(target: Target, patience: number, wanted: () => boolean): Promise<Socket> {
  const deadline = performance.now() + patience;
  for (;;) {
    const socket = dial(target);
    const failure = await new Promise<Error | undefined>((resolve) => {
      socket.once('connect', () => resolve(undefined));
      socket.once('error', resolve);
    });
    if (failure === undefined) return socket;
    if (performance.now() > deadline || !wanted()) throw failure;
    await delay(10);
  }
}
