import type { ConnectionOptions } from 'node:tls';
import type { Runtime } from '@locks/core/adapter';
import type { Address } from './address.ts';
import { openSocket } from './socket.ts';

/** How to ask a server over a separate connection. */
export interface AskParts {
  readonly address: Address;
  /** TLS is used if this is set. */
  readonly tls?: ConnectionOptions | undefined;
  /** Time limit in ms. */
  readonly within: number;
  readonly signal?: AbortSignal | undefined;
  readonly runtime: Runtime;
  /** Does not keep the process alive until it has connected, or the answer is there. */
  readonly background?: boolean | undefined;
}

/**
 * Sends `request`, and passes the answer to `read`, until that returns true. Otherwise resolves to
 * the reason: the connection or the time ended, `signal` was aborted, or `read` threw.
 */
export function ask(
  { address, tls, within, signal, runtime, background }: AskParts,
  request: string | Buffer,
  read: (chunk: Buffer) => boolean,
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const socket = openSocket(address, tls, () => socket.write(request));
    if (background === true) socket.unref();
    const end = (failure?: Error): void => {
      runtime.clearTimer(timer);
      signal?.removeEventListener('abort', abort);
      socket.destroy();
      resolve(failure);
    };
    const timer = runtime.setTimer(() => end(new Error('no answer in time')), within, false);
    const abort = (): void => end(new Error('given up'));
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort);
    socket.on('data', (chunk: Buffer) => {
      try {
        if (read(chunk)) end();
      } catch (error) {
        end(new Error('its answer cannot be read', { cause: error }));
      }
    });
    socket.on('error', end);
    socket.on('close', () => end(new Error('the server closed the connection')));
  });
}
