import type { TlsOptions } from 'node:tls';
import { startTlsFront as startFront } from '@locks/test-servers';
import type { ServerHandle, TlsFront } from '@locks/test-servers';
import { onTestFinished } from 'vitest';

/** Terminates TLS in front of the server, until the end of the test. Gives its port. */
export async function behindTls(server: ServerHandle, options: TlsOptions = {}): Promise<number> {
  return (await startTlsFront(server, options)).port;
}

export async function startTlsFront(server: ServerHandle, options: TlsOptions = {}): Promise<TlsFront> {
  const front = await startFront(server.url, options);
  onTestFinished(() => front.stop());
  return front;
}
