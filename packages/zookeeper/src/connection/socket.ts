import { Socket, connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import type { Address } from './address.ts';
import { TlsOptionsError } from './errors.ts';

/**
 * When TCP first probes a silent connection, in ms. The session's heartbeat detects it much
 * earlier.
 */
const keepAliveDelay = 30_000;

/**
 * Begins a connection. Calls `opened` once when bytes can be sent: with TLS, after its handshake.
 * Never throws: unusable options of TLS are an error of the socket.
 */
export function openSocket({ host, port }: Address, tls: ConnectionOptions | undefined, opened: () => void): Socket {
  if (tls === undefined)
    return connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelay }, opened);
  // An IP address is not allowed as a server name.
  const name = isIP(host) === 0 ? { servername: host } : {};
  try {
    const socket = connectTls({ ...name, ...tls, host, port }, () => {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, keepAliveDelay);
      opened();
    });
    return socket;
  } catch (error) {
    return new Socket().destroy(new TlsOptionsError((error as Error).message, { cause: error }));
  }
}
