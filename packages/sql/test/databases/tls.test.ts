import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { openLocks } from '@locks/core';
import { selfSigned } from '@locks/test-servers';
import { expect, inject, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';
import { startFront } from '../support/front.ts';

const ca = selfSigned.cert;

/** What a server does with a socket over which the client has asked for TLS. */
type Handshake = (socket: Socket, back: Socket) => void;

/** As a managed server does, with a certificate that it has signed itself. */
const speakTls: Handshake = (socket, back) => {
  const secure = new TLSSocket(socket, { isServer: true, ...selfSigned });
  secure.pipe(back).pipe(secure);
  secure.on('error', () => back.destroy());
};
const cut: Handshake = (socket) => void socket.destroy();
const speakPlainly: Handshake = (socket) =>
  void socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')).resume();

/** `url` of a server behind a front that does `handshake` with each socket. */
function behind(url: string, handshake: Handshake): Promise<string> {
  const ask = url.startsWith('mysql:') ? askMysql : askPostgres;
  return startFront(url, (socket, back) => ask(socket, back, () => handshake(socket, back)));
}

/** The request for TLS has eight bytes; its answer is one. */
function askPostgres(socket: Socket, _back: Socket, asked: () => void): void {
  socket.once('data', () => {
    socket.write('S');
    asked();
  });
}

/** The server begins: it says what it can. The client answers with its request for TLS. */
function askMysql(socket: Socket, back: Socket, asked: () => void): void {
  back.once('data', (greeting) => {
    // A header of four bytes, the protocol, the version up to a NUL, thirteen bytes; bit 11 of what
    // follows is TLS.
    const capabilities = greeting.indexOf(0, 5) + 14;
    greeting.writeUInt16LE(greeting.readUInt16LE(capabilities) | 0x0800, capabilities);
    socket.write(greeting);
    socket.once('data', (request) => {
      // TLS follows at once, without an answer.
      socket.pause();
      socket.unshift(request.subarray(4 + request.readUIntLE(0, 3)));
      asked();
    });
  });
}

test('TLS on Postgres checks the certificate, unless it is told not to', async () => {
  const url = await behind(await databases[0]!.create(), speakTls);
  const trusting = { migrate: true, tls: { ca, servername: 'localhost' } };
  const locks = await openLocks({ url, options: trusting });
  await (await locks.acquire('job')).release();
  await locks.close();
  const unchecked = await openLocks(`${url}?sslmode=no-verify`);
  await (await unchecked.acquire('job')).release();
  await unchecked.close();
});

const servers = ['postgresUrl', 'mariadbUrl'] as const;

test.each([
  ['postgresUrl', 'tls=true'],
  ['postgresUrl', 'sslmode=require'],
  ['postgresUrl', 'sslmode=verify-ca'],
  ['postgresUrl', 'sslmode=verify-full'],
  ['mariadbUrl', 'tls=true'],
] as const)('a certificate that %s has signed itself is refused for good (%s)', async (server, query) => {
  const url = await behind(inject(server), speakTls);
  await expect(openLocks(`${url}?${query}`)).rejects.toMatchObject(
    misconfigured(/self-signed certificate\. .*option "tls"/),
  );
});

test('a certificate of another host is refused for good', async () => {
  const url = await behind(inject('postgresUrl'), speakTls);
  const options = { tls: { ca, servername: 'db.example.com' } };
  await expect(openLocks({ url, options })).rejects.toMatchObject(
    misconfigured(/does not match certificate's altnames.*host name/s),
  );
});

test.each(servers)('a %s that answers with something else than TLS is refused for good', async (server) => {
  const url = await behind(inject(server), speakPlainly);
  await expect(openLocks(`${url}?tls=true`)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
});

test.each(servers)('a %s that ends the connection in the handshake may answer later', async (server) => {
  const url = await behind(inject(server), cut);
  await expect(openLocks(`${url}?tls=true`)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});

test.each(servers)('a key that cannot be read is refused before %s is asked', async (server) => {
  const options = { tls: { key: 'no key' } };
  await expect(openLocks({ url: inject(server), options })).rejects.toMatchObject(
    misconfigured('option "tls" cannot be used'),
  );
});
