import { expect, test } from 'vitest';
import { ConnectionLostError, RequestUnsentError } from '../../src/connection/errors.ts';
import { create, remove } from '../../src/wire/requests.ts';
import { ping } from '../support/ping.ts';
import { eventOf, replyTo, startFakeServer } from '../support/fake-server.ts';
import { meet, openConnection } from '../support/open.ts';

test('the credentials go out directly behind the connect request, in one write, and are answered before connect resolves', async () => {
  await using server = await startFakeServer();
  const auth = ['a:b', 'c:d'].map((text) => ({ scheme: 'digest', credentials: Buffer.from(text) }));
  let resolved = false;
  const opening = openConnection({ address: server.address, auth });
  void opening.then(() => (resolved = true));
  const client = await server.client();
  await client.accept();
  const requests = [await client.request(), await client.request()];
  expect(requests.map(({ xid, op }) => [xid, op])).toEqual([
    [-4, 100],
    [-4, 100],
  ]);
  expect(client.chunks).toBe(1);
  client.send(replyTo(-4));
  await new Promise(setImmediate);
  expect(resolved).toBe(false);
  client.send(replyTo(-4));
  await opening;
});

test('all requests of a tick are one write, also those that promises lead to', async () => {
  await using server = await startFakeServer();
  const { connection, client } = await meet(server);
  const before = client.chunks;
  const sends = [connection.send(remove('/a'))];
  await Promise.resolve();
  sends.push(connection.send(remove('/b')), connection.send(ping));
  const requests = [await client.request(), await client.request(), await client.request()];
  expect(requests.map(({ xid }) => xid)).toEqual([1, 2, -2]);
  expect(client.chunks - before).toBe(1);
  client.send(replyTo(1), replyTo(2), replyTo(-2));
  expect(await Promise.all(sends)).toHaveLength(3);
});

test('what cannot be written is refused alone', async () => {
  await using server = await startFakeServer();
  const { connection, client } = await meet(server);
  const first = connection.send(remove('/a'));
  await expect(connection.send(remove('/b', 2 ** 40))).rejects.toThrow(RangeError);
  const third = connection.send(remove('/c'));
  const requests = [await client.request(), await client.request()];
  expect(requests.map(({ xid, body }) => [xid, body.toString('latin1', 4, 6)])).toEqual([
    [1, '/a'],
    [2, '/c'],
  ]);
  client.send(replyTo(1), replyTo(2));
  expect(await Promise.all([first, third])).toMatchObject([{ ok: true }, { ok: true }]);
});

test('the end is told once, behind the rejections, never within a call', async () => {
  await using server = await startFakeServer();
  const told: string[] = [];
  const { connection, client, ended } = await meet(server, { onEnd: ({ message }) => told.push(message) });
  const sends = ['/a', '/b'].map((path) =>
    connection.send(remove(path)).catch((error: unknown) => {
      told.push(path);
      return error;
    }),
  );
  connection.destroy(new Error('first'));
  connection.destroy(new Error('second'));
  expect(told).toEqual([]);
  await ended;
  const errors = await Promise.all(sends);
  expect(errors).toEqual([expect.any(ConnectionLostError), expect.any(ConnectionLostError)]);
  expect(told).toEqual(['/a', '/b', 'first']);
  await expect(connection.send(remove('/c'))).rejects.toMatchObject({
    name: 'RequestUnsentError',
    cause: { message: 'first' },
  });
  await connection.end(1_000);
  await client.gone();
  expect(told).toEqual(['/a', '/b', 'first']);
});

test('after the connection was ended by the receiver of an event, nothing of the same chunk is seen', async () => {
  await using server = await startFakeServer();
  const { connection, client, events, ended } = await meet(server, {
    onEvent: () => connection.destroy(new Error('enough')),
  });
  const send = connection.send(remove('/a'));
  await client.request();
  client.send(eventOf(1, '/a'), eventOf(1, '/b'), replyTo(1));
  await expect(send).rejects.toThrow('enough');
  expect((await ended).message).toBe('enough');
  expect(events).toEqual([{ type: 'created', path: '/a' }]);
});

test('the latest transaction seen is remembered, and a garbled one does not stay', async () => {
  await using server = await startFakeServer();
  const { connection, client, begin } = await meet(server, { lastZxid: 40n });
  expect(begin.readBigInt64BE(4)).toBe(40n);
  expect(connection.lastZxid).toBe(40n);
  const replies = [
    { zxid: 50n, seen: 50n },
    { zxid: 2n ** 62n, seen: 2n ** 62n },
    { zxid: 51n, seen: 51n },
    { zxid: -1n, seen: 51n },
  ];
  for (const [index, { zxid, seen }] of replies.entries()) {
    const send = connection.send(remove('/a'));
    client.send(replyTo(index + 1, 0, () => {}, zxid));
    expect(await send).toMatchObject({ ok: true, zxid });
    expect(connection.lastZxid).toBe(seen);
  }
});

test('the data that was sent may be changed at once', async () => {
  await using server = await startFakeServer();
  const { connection, client } = await meet(server);
  const data = Buffer.from('before');
  const send = connection.send(create({ path: '/a', data, acl: [], kind: 'persistent' }));
  data.fill('x');
  expect((await client.request()).body.toString('latin1')).toContain('before');
  connection.destroy(new Error('over'));
  await expect(send).rejects.toThrow('over');
});

test('what waits to be sent when the connection ends is rejected as never sent, and so is what comes later', async () => {
  await using server = await startFakeServer();
  const { connection } = await meet(server);
  const sends = Array.from({ length: 300 }, (_, index) => connection.send(remove(`/${index}`)));
  connection.destroy(new Error('over'));
  const errors = await Promise.all(sends.map((send) => send.catch((error: unknown) => error)));
  expect(errors.slice(0, 256).every((error) => !(error instanceof RequestUnsentError))).toBe(true);
  expect(errors.every((error) => error instanceof ConnectionLostError)).toBe(true);
  expect(errors.slice(256).every((error) => error instanceof RequestUnsentError)).toBe(true);
});
