import { openLocks } from '@locks/core';
import { selfSigned, startTlsFront } from '@locks/test-servers';
import type { Handshake } from '@locks/test-servers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const ca = selfSigned.cert;

const cut: Handshake = (socket) => void socket.destroy();
const speakPlainly: Handshake = (socket) =>
  void socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')).resume();

/** `url` of a server behind a front that speaks TLS, or does `handshake` with each socket. */
async function behind(url: string, handshake?: Handshake): Promise<string> {
  const front = await startTlsFront(url, {}, handshake);
  onTestFinished(() => front.stop());
  return front.url;
}

test('TLS on Postgres checks the certificate, unless it is told not to', async () => {
  const url = await behind(await databases[0]!.create());
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
  const url = await behind(inject(server));
  await expect(openLocks(`${url}?${query}`)).rejects.toMatchObject(
    misconfigured(/self-signed certificate\. .*option "tls"/),
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
