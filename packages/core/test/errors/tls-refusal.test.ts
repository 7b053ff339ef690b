import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { connect, createSecureContext, createServer } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { isTlsRefusal, tlsReason } from '../../src/adapter/index.ts';
import { selfSigned as own } from '../../../test-servers/src/support/self-signed.ts';

/** A server without TLS. */
const plain = (): Server =>
  createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });

/** What a client of `server` fails with. */
async function failure(server: Server, options: ConnectionOptions = {}): Promise<unknown> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ...options }, () => reject(new Error('It connected.')));
    socket.once('error', (error) => {
      socket.destroy();
      resolve(error);
    });
  });
}

test('a certificate that is not trusted would not be trusted the next time', async () => {
  expect(isTlsRefusal(await failure(createServer(own)))).toBe(true);
  expect(isTlsRefusal(await failure(createServer(own), { ca: own.cert, servername: 'elsewhere' }))).toBe(true);
});

test('a server without the versions of the client, or without TLS, does not get them', async () => {
  const newer = createServer({ ...own, minVersion: 'TLSv1.3' });
  newer.on('tlsClientError', () => {});
  expect(isTlsRefusal(await failure(newer, { maxVersion: 'TLSv1.2' }))).toBe(true);
  expect(isTlsRefusal(await failure(plain()))).toBe(true);
});

test('a connection that ends in the handshake says nothing of the next one', async () => {
  expect(isTlsRefusal(await failure(createTcpServer((socket) => void socket.destroy())))).toBe(false);
  expect(isTlsRefusal(new Error('write EPROTO'))).toBe(false);
  expect(isTlsRefusal(undefined)).toBe(false);
});

test('options that cannot be used will not be usable the next time', () => {
  expect.assertions(1);
  try {
    createSecureContext({ cert: 'none', key: 'none' });
  } catch (error) {
    expect(isTlsRefusal(error)).toBe(true);
  }
});

test('a refusal is told in the words of OpenSSL, without places in its source', async () => {
  expect(tlsReason((await failure(createServer(own))) as Error)).toMatch(/^self-signed certificate/);
  expect(tlsReason((await failure(plain())) as Error)).toBe('wrong version number');
  expect(tlsReason(new Error(` ${'x'.repeat(500)}\n`))).toHaveLength(120);
});
