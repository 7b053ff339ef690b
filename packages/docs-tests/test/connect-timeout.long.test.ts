import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { openLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';

/** A server that accepts connections, and says nothing. */
async function silentServer(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const urls: Readonly<Record<string, (host: string) => string>> = {
  postgres: (host) => `postgres://u:p@${host}/d?`,
  mysql: (host) => `mysql://u:p@${host}/d?`,
  zookeeper: (host) => `zookeeper://${host}?acl=open&`,
  redis: (host) => `redis://${host}?`,
  rediss: (host) => `rediss://${host}?`,
  sentinel: (host) => `redis+sentinel://${host}/main?`,
  cluster: (host) => `redis+cluster://${host}?`,
  etcd: (host) => `etcd://${host}?`,
  etcds: (host) => `etcds://${host}?`,
};

test('connectTimeout is the whole time for a server that says nothing, on each store', async () => {
  // Their drivers are loaded.
  const host = await silentServer();
  await Promise.all(Object.values(urls).map((url) => openLocks(`${url(host)}connectTimeout=50`).catch(() => {})));
  const took = await Promise.all(
    Object.entries(urls).map(async ([name, url]) => {
      const address = url(await silentServer());
      const began = performance.now();
      await expect(openLocks(`${address}connectTimeout=3s`)).rejects.toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: expect.not.stringContaining('5000 ms') as string,
      });
      return [name, performance.now() - began] as const;
    }),
  );
  // On a busy machine all are late. Sentinels may be given up before.
  const usual = Math.max(...took.slice(0, 3).map(([, ms]) => ms));
  expect(took.filter(([, ms]) => ms > usual + 400)).toEqual([]);
}, 30_000);
