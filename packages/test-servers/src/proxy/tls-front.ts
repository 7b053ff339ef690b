import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { TLSSocketOptions } from 'node:tls';
import { listen } from '../support/listen.ts';
import { selfSigned } from '../support/self-signed.ts';

/** Terminates TLS in front of a server, like a proxy or a managed server. */
export interface TlsFront {
  readonly port: number;
  /** The URL of the server with this port. */
  readonly url: string;
  /** Ends all connections, and uses another certificate for new ones. */
  renew(certificate: { readonly key: string; readonly cert: string }): void;
  stop(): Promise<void>;
}

/** Takes over a socket on which the client has asked for TLS. */
export type Handshake = (socket: Socket, back: Socket) => void;

/**
 * Starts one in front of the server at `url`, whose scheme determines how a client requests TLS.
 * The certificate is `selfSigned` unless set in `options`. `handshake`: instead of TLS.
 */
export async function startTlsFront(
  url: string,
  options: TLSSocketOptions = {},
  handshake?: Handshake,
): Promise<TlsFront> {
  const { hostname, port, protocol } = new URL(url);
  let certificate: { readonly key: string; readonly cert: string } = selfSigned;
  const speakTls: Handshake = (socket, back) => {
    const alpn = protocol.startsWith('etcd') ? { ALPNProtocols: ['h2'] } : {};
    const secure = new TLSSocket(socket, { isServer: true, ...certificate, ...alpn, ...options });
    secure.pipe(back).pipe(secure);
    secure.on('error', () => back.destroy());
  };
  const front = await listen((socket) => {
    const back = connect(Number(port), hostname).on('error', () => {});
    socket.on('close', () => back.destroy());
    back.on('close', () => socket.destroy());
    untilAsked[protocol]?.(socket, back, () => (handshake ?? speakTls)(socket, back));
    if (untilAsked[protocol] === undefined) (handshake ?? speakTls)(socket, back);
  });
  return {
    port: front.port,
    url: Object.assign(new URL(url), { host: `${front.host}:${front.port}` }).href,
    renew(other) {
      certificate = other;
      for (const socket of front.sockets) socket.destroy();
    },
    stop: front.stop,
  };
}

/** The messages before TLS, if it does not begin immediately. */
const untilAsked: Readonly<Record<string, (socket: Socket, back: Socket, asked: () => void) => void>> = {
  'postgres:': askPostgres,
  'postgresql:': askPostgres,
  'mysql:': askMysql,
  'mariadb:': askMysql,
};

/** The request for TLS has eight bytes; its answer is one. */
function askPostgres(socket: Socket, _back: Socket, asked: () => void): void {
  socket.once('data', () => {
    socket.write('S');
    asked();
  });
}

/** The server first sends its capabilities. The client answers with its request for TLS. */
function askMysql(socket: Socket, back: Socket, asked: () => void): void {
  back.once('data', (greeting) => {
    // A header of four bytes, the protocol, the version up to a NUL, thirteen bytes; bit 11 of what
    // follows is TLS.
    const capabilities = greeting.indexOf(0, 5) + 14;
    greeting.writeUInt16LE(greeting.readUInt16LE(capabilities) | 0x0800, capabilities);
    socket.write(greeting);
    socket.once('data', (request) => {
      // TLS follows immediately, without an answer.
      socket.pause();
      socket.unshift(request.subarray(4 + request.readUIntLE(0, 3)));
      asked();
    });
  });
}
