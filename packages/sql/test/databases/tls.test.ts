import { readFileSync } from 'node:fs';
import { connect as connectTcp, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { openLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { databases } from '../support/databases.ts';

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));
const ca = fixture('tls-cert.pem');

/** `url` of a Postgres behind a front that speaks TLS, as a managed one does, and nothing else. */
async function behindTls(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    // The request for TLS has eight bytes; its answer is one.
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, cert: ca, key: fixture('tls-key.pem') });
      const back = connectTcp(Number(port), hostname);
      secure.pipe(back).pipe(secure);
      secure.on('error', () => back.destroy());
      back.on('error', () => secure.destroy());
    });
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    front.close();
    for (const socket of sockets) socket.destroy();
  });
  return Object.assign(new URL(url), { host: `127.0.0.1:${(front.address() as AddressInfo).port}` }).href;
}

test('TLS on Postgres checks the certificate, unless it is told not to', async () => {
  const url = await behindTls(await databases[0]!.create());
  const trusting = { migrate: true, ssl: { ca, servername: 'localhost' } };
  const locks = await openLocks({ url, options: trusting });
  await (await locks.acquire('job')).release();
  await locks.close();
  const unchecked = await openLocks(`${url}?sslmode=no-verify`);
  await (await unchecked.acquire('job')).release();
  await unchecked.close();
  for (const query of ['ssl=true', 'sslmode=require', 'sslmode=verify-ca', 'sslmode=verify-full']) {
    await expect(openLocks(`${url}?${query}`)).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringMatching(/certificate/) as string,
    });
  }
});
