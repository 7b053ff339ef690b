import type { ConnectionOptions } from 'node:tls';
import type { Runtime } from '@locks/core/adapter';
import type { Address } from '../connection/address.ts';
import { openSocket } from '../connection/socket.ts';

/** The mode of a server. `unknown`: it does not allow the question, or does not answer it. */
export type ServerMode = 'leader' | 'follower' | 'standalone' | 'observer' | 'read-only' | 'unknown';

/** How a server is asked for its mode. */
export interface ServerModeOptions {
  /** Options of TLS, which is used if this is given: as for connections of the protocol. */
  readonly tls?: ConnectionOptions | undefined;
  /** In ms, for all of it. */
  readonly within: number;
  /** Gives up at once: the mode is `unknown` then. */
  readonly signal?: AbortSignal | undefined;
  readonly runtime: Runtime;
}

const modes: ReadonlySet<string> = new Set<ServerMode>(['leader', 'follower', 'standalone', 'observer', 'read-only']);

/** Answers have some 200 bytes. */
const longestAnswer = 16_384;

/**
 * Asks a server for its mode. Servers since 3.5 tell it unless their configuration forbids it.
 * Never rejects.
 */
export async function serverMode(address: Address, options: ServerModeOptions): Promise<ServerMode> {
  return modeIn(await serverStatus(address, options));
}

/** The mode that an answer to `srvr` names. */
function modeIn(status: string): ServerMode {
  const mode = /^Mode: (.*)$/m.exec(status)?.[1] ?? '';
  return modes.has(mode) ? (mode as ServerMode) : 'unknown';
}

/**
 * The answer of a server to the four-letter word `srvr`, over a connection of its own; empty where
 * it gives none. Never rejects. Does not keep the process alive once it is connected.
 */
function serverStatus(address: Address, { tls, within, signal, runtime }: ServerModeOptions): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = openSocket(address, tls, () => {
      socket.unref();
      socket.write('srvr');
    });
    const timer = runtime.setTimer(finish, within, false);
    if (signal?.aborted === true) finish();
    else signal?.addEventListener('abort', finish);

    function finish(): void {
      runtime.clearTimer(timer);
      signal?.removeEventListener('abort', finish);
      socket.destroy();
      resolve(answer);
    }

    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (answer.length > longestAnswer) finish();
    });
    // The server closes the connection after its answer.
    socket.on('end', finish);
    socket.on('close', finish);
    socket.on('error', () => finish());
  });
}
