import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { unusedPort } from '../src/index.ts';
import { dial, linked, proxyTo, startRecorder, until } from './wire.ts';

describe('a proxy without faults', () => {
  test('passes both ways, also when only one side has finished', async () => {
    const { client, server, proxy } = await linked();
    client.write('ask');
    await client.received('ASK');
    client.socket.end();
    await server.untilEnded();
    server.write(' and more');
    await client.received('ASK and more');
    server.socket.end();
    await client.untilClosed();
    expect(client.failure).toBeUndefined();
    await until('no connection', () => proxy.clientConnections + proxy.serverConnections === 0);
  });

  test('passes a flood to a slow reader whole, and does not take it all in at once', async () => {
    const target = await startRecorder();
    const proxy = await proxyTo(target);
    const client = await dial(proxy);
    const server = await target.connection();
    server.socket.pause();
    const chunk = 'x'.repeat(64 * 1024);
    const chunks = 1_000;
    let accepted = 0;
    for (let index = 0; index < chunks; index += 1) client.socket.write(chunk, () => (accepted += 1));
    let before = -1;
    // As long as something moves, the proxy and the buffers of the system still take it in.
    for (let rounds = 0; rounds < 20; rounds = accepted === before ? rounds + 1 : 0) {
      before = accepted;
      await delay(5);
    }
    expect(accepted).toBeLessThan(chunks / 2);
    server.socket.resume();
    client.socket.end();
    await server.untilEnded();
    expect(server.text.length).toBe(chunk.length * chunks);
  });

  test('tells its own address in place of the server’s', async () => {
    const { proxy, target } = await linked();
    expect(proxy.url(`redis://:secret@127.0.0.1:${target.port}/3`)).toBe(`redis://:secret@127.0.0.1:${proxy.port}/3`);
    expect(proxy.port).not.toBe(target.port);
  });

  test('resets the client when the server cannot be reached or resets, and the server when the client does', async () => {
    const { proxy, client, server } = await linked();
    client.socket.resetAndDestroy();
    await server.untilClosed();
    expect(server.failure).toBe('ECONNRESET');
    const second = await dial(proxy);
    second.write('ask');
    await second.received('ASK');
    const nowhere = await proxyTo({ host: '127.0.0.1', port: await unusedPort() });
    const refused = await dial(nowhere);
    await refused.untilClosed();
    expect(refused.failure).toBe('ECONNRESET');
    expect(proxy.clientConnections).toBe(1);
  });
});

test('stop ends all connections, delayed or silent, and may be repeated', async () => {
  const { proxy, client, server } = await linked();
  proxy.delay(60_000);
  proxy.silence('requests');
  client.write('a');
  await Promise.all([proxy.stop(), proxy.stop()]);
  await proxy[Symbol.asyncDispose]();
  await client.untilClosed();
  await server.untilClosed();
  expect(proxy.clientConnections + proxy.serverConnections).toBe(0);
  expect(await dial(proxy)).toMatchObject({ closed: true, failure: 'ECONNREFUSED' });
});
