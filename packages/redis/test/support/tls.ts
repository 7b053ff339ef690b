import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { TlsOptions } from 'node:tls';
import { selfSigned } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { onTestFinished } from 'vitest';

/** Terminates TLS in front of the server, as a proxy or a managed Redis does. Gives its port. */
export async function behindTls(server: ServerHandle, options: TlsOptions = {}): Promise<number> {
  return (await startTlsFront(server, options)).port;
}

/** What terminates TLS. */
export interface TlsFront {
  readonly port: number;
  /** Ends all connections, and has another certificate for those to come. */
  renew(certificate: { readonly key: string; readonly cert: string }): void;
}

export async function startTlsFront(server: ServerHandle, options: TlsOptions = {}): Promise<TlsFront> {
  const sockets = new Set<Socket>();
  const front = createServer({ ...selfSigned, ...options }, (socket) => {
    const back = connect(server.port, server.host);
    sockets.add(socket);
    socket.pipe(back).pipe(socket);
    socket.on('error', () => back.destroy());
    socket.on('close', () => sockets.delete(socket));
    back.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void front.close());
  return {
    port: (front.address() as AddressInfo).port,
    renew(certificate) {
      front.setSecureContext(certificate);
      for (const socket of sockets) socket.destroy();
    },
  };
}
