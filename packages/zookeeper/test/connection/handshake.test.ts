import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { connect } from '../../src/connection/connect.ts';
import type { ConnectionParts } from '../../src/connection/connect.ts';
import { acceptance, eventOf, frameOf, replyTo, startFakeServer } from '../support/fake-server.ts';
import { openConnection, partsOf } from '../support/open.ts';

const auth = ['a:b', 'c:d'].map((text) => ({ scheme: 'digest', credentials: Buffer.from(text) }));
const resume = { id: 7n, password: Buffer.alloc(16, 1) };

test.each<readonly [string, Partial<ConnectionParts>, readonly Buffer[], string, string]>([
  [
    'a read-only server',
    {},
    [acceptance({ readOnly: true })],
    'ConnectError',
    'it is read-only, cut off from its quorum',
  ],
  [
    'an answer in another version',
    {},
    [frameOf((writer) => writer.int(1))],
    'ConnectError',
    'protocol version 1 in the answer to the connect request',
  ],
  ['an answer that is cut', {}, [frameOf((writer) => writer.int(0))], 'ConnectError', 'a frame ends 4 bytes too early'],
  [
    'an HTTP server',
    {},
    [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    'ConnectError',
    'a frame of 1213486160 bytes; the longest that is accepted is 4194304',
  ],
  [
    'a session that has expired',
    { resume },
    [acceptance({ timeout: 0, id: 0n })],
    'SessionExpiredError',
    'has expired',
  ],
  ['another session', { resume }, [acceptance({ id: 8n })], 'ConnectError', 'session 0x8 in place of 0x7'],
  [
    'a reply before the one to the credentials',
    { auth },
    [acceptance(), replyTo(1)],
    'ConnectError',
    'a reply to request 1 where one to the credentials is due',
  ],
  [
    'credentials refused before the session',
    { auth },
    [replyTo(-4, -115)],
    'AuthFailedError',
    'refuses the credentials',
  ],
  [
    'more answers to credentials than were sent',
    {},
    [replyTo(-4)],
    'ConnectError',
    'an answer to credentials that were not sent',
  ],
])('a handshake fails with %s', async (_, parts, answers, name, message) => {
  await using server = await startFakeServer();
  const connecting = connect(partsOf({ address: server.address, ...parts }));
  const client = await server.client();
  client.send(...answers);
  await expect(connecting).rejects.toMatchObject({ name, message: expect.stringContaining(message) as string });
  await client.gone();
});

test('the address stands in the message', async () => {
  await using server = await startFakeServer();
  const connecting = connect(partsOf({ address: server.address }));
  (await server.client()).socket.end();
  await expect(connecting).rejects.toThrow(
    `no connection to ZooKeeper at 127.0.0.1:${server.address.port}: the server closed the connection`,
  );
});

test('credentials may be answered before the connect request', async () => {
  await using server = await startFakeServer();
  const connecting = connect(partsOf({ address: server.address, auth }));
  const client = await server.client();
  client.send(replyTo(-4));
  await client.accept();
  client.send(replyTo(-4));
  const connection = await connecting;
  expect(connection.session.id).toBe(7n);
});

test('one that is given up', async () => {
  await using server = await startFakeServer();
  const abort = new AbortController();
  const connecting = connect(partsOf({ address: server.address, signal: abort.signal }));
  const client = await server.client();
  abort.abort(new Error('closing'));
  await expect(connecting).rejects.toMatchObject({ name: 'ConnectError', cause: new Error('closing') });
  await client.gone();
  await expect(connect(partsOf({ address: server.address, signal: abort.signal }))).rejects.toThrow('given up');
});

test('no server listens, at one address or at any address of a name', async () => {
  const server = await startFakeServer();
  await server.stop();
  await expect(connect(partsOf({ address: server.address }))).rejects.toMatchObject({
    name: 'ConnectError',
    cause: { code: 'ECONNREFUSED' },
  });
  const lookup: LookupFunction = (_, __, found) =>
    found(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '127.0.0.2', family: 4 },
    ]);
  const { port } = server.address;
  // `lookup` goes with the options of TLS to the socket.
  await expect(connect(partsOf({ address: { host: 'zookeeper.test', port }, tls: { lookup } }))).rejects.toThrow(
    `no connection to ZooKeeper at zookeeper.test:${port}: connect ECONNREFUSED 127.0.0.1:${port}, connect ECONNREFUSED 127.0.0.2:${port}`,
  );
});

test('bytes that break the protocol directly behind the handshake are told after connect resolved', async () => {
  await using server = await startFakeServer();
  const seen: string[] = [];
  const opening = openConnection({ address: server.address, onEnd: ({ message }) => seen.push(message) });
  const client = await server.client();
  await client.frame();
  client.send(acceptance(), eventOf(1, '/early'), replyTo(1));
  const { connection, events, ended } = await opening;
  seen.push('connected');
  await ended;
  expect(seen).toEqual(['connected', 'a reply to request 1, where none is due']);
  expect(events).toEqual([{ type: 'created', path: '/early' }]);
  expect(connection.ended).toBe(true);
});
