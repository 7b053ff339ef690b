import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { ownLocks } from '../support/providers.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000 });

/** A proxy in a thread of its own, which goes on while this one stands still. */
const proxy = `
const { connect, createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const { host, port, cut } = workerData;
const sockets = new Set();
const front = createServer((socket) => {
  sockets.add(socket);
  const back = connect(port, host);
  for (const each of [socket, back]) each.on('error', () => {});
  socket.on('close', () => (sockets.delete(socket), back.destroy()));
  back.on('close', () => socket.destroy());
  socket.pipe(back).pipe(socket);
});
front.listen(0, '127.0.0.1', () => parentPort.postMessage(front.address().port));
parentPort.on('message', () => {
  for (const socket of sockets) socket.destroy();
  setTimeout(() => (Atomics.store(cut, 0, 1), Atomics.notify(cut, 0)), 200);
});
`;

test.each(['tryAcquire', 'inspect', 'release'] as const)(
  'the first %s of a process that stood still while its connection ended goes over the next one',
  async (call) => {
    const cut = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { host: server.host, port: server.port, cut };
    const worker = new Worker(proxy, { eval: true, workerData });
    onTestFinished(async () => void (await worker.terminate()));
    const [port] = (await once(worker, 'message')) as [number];
    const locks = ownLocks({ host: '127.0.0.1', port }, { root: `/still-${call}` });
    const lease = await locks.acquire('job');
    if (call !== 'release') await lease.release();
    worker.postMessage('cut');
    Atomics.wait(cut, 0, 0, 5_000);
    if (call === 'tryAcquire') expect(await locks.tryAcquire('job')).toMatchObject({ held: true });
    else if (call === 'inspect') expect(await locks.inspect('job')).toMatchObject({ holders: [] });
    else expect(await lease.release()).toBe(true);
  },
  20_000,
);
