import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { TlsOptions } from 'node:tls';
import { selfSigned } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { onTestFinished } from 'vitest';

/** Terminates TLS in front of the server, as a proxy or a managed Redis does. Gives its port. */
export async function behindTls(server: ServerHandle, options: TlsOptions = {}): Promise<number> {
  const front = createServer({ ...selfSigned, ...options }, (socket) => {
    const back = connect(server.port, server.host);
    socket.pipe(back).pipe(socket);
    socket.on('error', () => back.destroy());
    back.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void front.close());
  return (front.address() as AddressInfo).port;
}
