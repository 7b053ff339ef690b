import { Server, ServerCredentials } from '@grpc/grpc-js';
import { listen, unusedPort } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { status } from '../../src/wire/calls.ts';
import { open, sharedServer } from '../support/etcd.ts';
import { refusal } from '../support/refusal.ts';

/** A gRPC server that only says that it is etcd of this version. */
async function startVersion(version: string): Promise<number> {
  const server = new Server();
  const bytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const field = Buffer.from(version);
  const answer = Buffer.concat([Buffer.of(0x12, field.length), field]);
  server.addService(
    {
      Status: {
        path: status.path,
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: () => ({}),
        responseSerialize: () => answer,
        responseDeserialize: () => ({}),
      },
    },
    { Status: (_: unknown, callback: (error: null, value: object) => void) => callback(null, {}) },
  );
  onTestFinished(() => server.forceShutdown());
  return await new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    ),
  );
}

test('an etcd that is older than 3.4 is refused by its version', async () => {
  const error = await refusal({ url: `etcd://127.0.0.1:${await startVersion('3.3.27')}` });
  expect(error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  expect(error.message).toContain('etcd 3.3.27; 3.4 or newer is needed');
});

test('a server of another kind is not etcd', async () => {
  const { port, stop } = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  onTestFinished(stop);
  expect(await refusal({ url: `etcd://127.0.0.1:${port}`, connectTimeout: 2_000 })).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
  });
});

test('a host that refuses connections is named, with the reason', async () => {
  const port = await unusedPort();
  const error = await refusal({ url: `etcd://127.0.0.1:${port}` });
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', sent: false });
  expect(error.message).toContain(`127.0.0.1:${port}`);
  expect(error.message).toMatch(/failed at a new connection: connect ECONNREFUSED [\d.:]+\.$/);
});

test('a host that accepts and says nothing costs connectTimeout, and no more', async () => {
  const { port, stop } = await listen();
  onTestFinished(stop);
  const began = performance.now();
  const error = await refusal({ url: `etcd://127.0.0.1:${port}`, connectTimeout: 300, timeout: 300 });
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  // Once.
  expect(error.message.match(/did not answer/g)).toHaveLength(1);
  expect(performance.now() - began).toBeLessThan(3_000);
});

test('of several members one that answers is enough', async () => {
  const { host, port } = sharedServer();
  const provider = await open({ url: `etcd://127.0.0.1:${await unusedPort()},${host}:${port}` });
  expect((await provider.inspect('key')).holders).toEqual([]);
});
