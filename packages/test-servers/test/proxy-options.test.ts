import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Target } from '../src/index.ts';
import { unusedPort } from '../src/server/ports.ts';
import { dial, proxyTo, startRecorder } from './wire.ts';

/** An address without a listener. */
async function findTarget(): Promise<Target> {
  return { host: '127.0.0.1', port: await unusedPort() };
}

test('rewrite: what it gives passes in place of a piece, each way', async () => {
  const target = await startRecorder((piece) => piece.toUpperCase());
  const proxy = await proxyTo(target, { rewrite: (piece, way) => Buffer.from(`${way}:${String(piece)}`) });
  const client = await dial(proxy);
  const server = await target.connection();
  client.write('ask');
  await server.received('requests:ask');
  await client.received('replies:REQUESTS:ASK');
});

test('rewrite: faults are done to what passes', async () => {
  const target = await startRecorder();
  const proxy = await proxyTo(target, { rewrite: () => Buffer.from('rewritten') });
  const client = await dial(proxy);
  const server = await target.connection();
  proxy.cutMidFrame('requests', { bytes: 3, when: (piece) => String(piece) === 'rewritten' });
  client.write('ask');
  await client.untilClosed();
  expect(server.text).toBe('rew');
});

test('rewrite: what it holds back, by connection, passes with a later piece', async () => {
  const target = await startRecorder((piece) => piece.toUpperCase());
  const held = new Map<object, Buffer>();
  const proxy = await proxyTo(target, {
    rewrite(piece, way, connection) {
      if (way === 'requests') return piece;
      const all = Buffer.concat([held.get(connection) ?? Buffer.alloc(0), piece]);
      const end = all.indexOf('.') + 1;
      held.set(connection, all.subarray(end));
      return all.subarray(0, end);
    },
  });
  const clients = [await dial(proxy), await dial(proxy)] as const;
  for (const client of clients) client.write('one.t');
  for (const client of clients) await client.received('ONE.');
  for (const client of clients) expect(client.text).toBe('ONE.');
  clients[0].write('wo.');
  await clients[0].received('ONE.TWO.');
  expect(clients[1].text).toBe('ONE.');
  expect(held.size).toBe(2);
});

test('patience: a client waits for a server that is about to listen', async () => {
  const target = await findTarget();
  const proxy = await proxyTo(target, { patience: 10_000 });
  const client = await dial(proxy);
  client.write('early');
  const server = createServer((socket) => {
    // The proxy ends it with a reset.
    socket.on('error', () => {});
    socket.on('data', (piece) => socket.write(`${String(piece)} is heard`));
  });
  server.listen(target.port, target.host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  await client.received('early is heard');
});

test('patience: a client is reset when no server listens in time', async () => {
  const proxy = await proxyTo(await findTarget(), { patience: 100 });
  const began = performance.now();
  const client = await dial(proxy);
  await client.untilClosed();
  expect(client.failure).toBe('ECONNRESET');
  expect(performance.now() - began).toBeGreaterThanOrEqual(100);
});

test('patience: who waits is cut, and the proxy can be stopped', async () => {
  const proxy = await proxyTo(await findTarget(), { patience: 60_000 });
  const first = await dial(proxy);
  const second = await dial(proxy);
  await expect.poll(() => proxy.clientConnections).toBe(2);
  await proxy.cut();
  await Promise.all([first.untilClosed(), second.untilClosed()]);
  expect(first.failure).toBe('ECONNRESET');
  const third = await dial(proxy);
  await proxy.stop();
  await third.untilClosed();
});
