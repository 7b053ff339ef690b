import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Proxy, type ServerHandle, startProxy, startRedis } from '../src/index.ts';
import { ask, open } from './ask.ts';
import { until } from './wire.ts';

let redis: ServerHandle;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

async function start(): Promise<{ proxy: Proxy; url: string; key: string }> {
  const proxy = await startProxy(redis);
  const key = `proxy-test-${proxy.port}-${performance.now()}`;
  onTestFinished(async () => {
    await proxy.stop();
    await ask(redis.url, `DEL ${key}`);
  });
  return { proxy, url: proxy.url(redis.url), key };
}

test('dropReply: the command has taken effect, its answer is lost, and the next connection is served', async () => {
  const { proxy, url, key } = await start();
  const trap = proxy.dropReply({ when: (piece) => piece.includes('INCR') });
  const connection = await open(url);
  expect(await connection.ask('PING')).toBe('+PONG');
  await expect(connection.ask(`INCR ${key}`)).rejects.toThrow('ECONNRESET');
  await trap.sprung;
  await connection.closed;
  expect(await ask(url, `GET ${key}`)).toBe('$1\r\n1');
});

test('duplicate: the server executes everything twice, and the client gets one answer of each', async () => {
  const { proxy, url, key } = await start();
  const end = proxy.duplicate();
  const connection = await open(url);
  for (const twice of [2, 4, 6, 8]) {
    expect([`:${twice - 1}`, `:${twice}`]).toContain(await connection.ask(`INCR ${key}`));
    // Both were executed before one was answered.
    expect(await ask(redis.url, `GET ${key}`)).toBe(`$1\r\n${twice}`);
  }
  expect(proxy.serverConnections).toBe(2);
  end();
  await until('the end of the shadow', () => proxy.serverConnections === 1);
  expect(await connection.ask(`INCR ${key}`)).toBe(':9');
  connection[Symbol.dispose]();
  await until('no connection', () => proxy.serverConnections === 0);
});

test('duplicate leaves connections alone that were there before', async () => {
  const { proxy, url, key } = await start();
  const connection = await open(url);
  expect(await connection.ask('PING')).toBe('+PONG');
  proxy.duplicate();
  expect(await connection.ask(`INCR ${key}`)).toBe(':1');
  connection[Symbol.dispose]();
});
