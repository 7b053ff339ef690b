import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/connection/connect.ts';
import {
  AuthFailedError,
  ConnectionLostError,
  FatalAnswerError,
  SessionExpiredError,
} from '../../src/connection/errors.ts';
import { ProtocolError } from '../../src/wire/protocol-error.ts';
import { exists, getChildren, remove } from '../../src/wire/requests.ts';
import { acceptance, eventOf, frameOf, replyTo, startFakeServer } from '../support/fake-server.ts';
import type { FakeClient, FakeServer } from '../support/fake-server.ts';
import { openConnection, partsOf } from '../support/open.ts';
import type { Opened } from '../support/open.ts';

/** A connection to a fake server, and the server's side of it. */
async function meet(
  server: FakeServer,
  parts: { readonly maxFrame?: number; readonly firstXid?: number } = {},
): Promise<Opened & { readonly client: FakeClient }> {
  const opening = openConnection({ address: server.address, ...parts });
  const client = await server.client();
  await client.accept();
  return { ...(await opening), client };
}

describe('bytes that a server may not send end the connection, with what is unanswered', () => {
  test.each<readonly [string, Buffer, string]>([
    ['a wrong xid', replyTo(3), 'a reply to request 3, where one to 1 is due'],
    ['a reply out of order', replyTo(2), 'a reply to request 2, where one to 1 is due'],
    ['a negative length', Buffer.from('fffffffe', 'hex'), 'a frame of -2 bytes; the longest that is accepted is 4096'],
    [
      'a huge length',
      Buffer.from('7fffffff', 'hex'),
      'a frame of 2147483647 bytes; the longest that is accepted is 4096',
    ],
    ['a header that is too short', frameOf((writer) => writer.int(1)), 'a frame ends 8 bytes too early'],
    [
      'a body that is too short',
      replyTo(1, 0, (writer) => writer.int(5)),
      'a list of length 5 in a frame with 0 bytes left',
    ],
    ['a body where none belongs', replyTo(-1, 0, (writer) => writer.bool(true)), 'a frame ends 3 bytes too early'],
    ['an unknown event', eventOf(9, '/a'), 'an event of the unknown type 9'],
    [
      'bytes behind an event',
      Buffer.concat([
        frameOf((writer) => {
          writer.int(-1);
          writer.long(-1n);
          writer.int(0);
          writer.int(1);
          writer.int(3);
          writer.string('/a');
          writer.bool(true);
        }),
      ]),
      '1 bytes too many in a frame',
    ],
    ['empty frames', Buffer.alloc(4), 'a frame ends 4 bytes too early'],
  ])('%s', async (_, bytes, message) => {
    await using server = await startFakeServer();
    const { connection, client, ended, ends, events } = await meet(server, { maxFrame: 4_096 });
    const sends = [connection.send(getChildren('/a')), connection.send(remove('/b'))];
    await client.request();
    client.send(bytes);
    const results = await Promise.allSettled(sends);
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(ConnectionLostError) as unknown });
    const cause = await ended;
    expect(cause).toEqual(new ProtocolError(message));
    await client.gone();
    expect([connection.ended, connection.unanswered, ends.length, events.length]).toEqual([true, 0, 1, 0]);
  });

  test('a reply to no request', async () => {
    await using server = await startFakeServer();
    const { client, ended } = await meet(server);
    client.send(replyTo(1));
    expect(await ended).toEqual(new ProtocolError('a reply to request 1, where none is due'));
  });

  test('bytes too many behind one reply', async () => {
    await using server = await startFakeServer();
    const { connection, client, ended } = await meet(server);
    const send = connection.send(remove('/a'));
    client.send(replyTo(1, 0, (writer) => writer.int(0)));
    await expect(send).rejects.toThrow('4 bytes too many in a frame');
    expect(await ended).toBeInstanceOf(ProtocolError);
  });
});

test('errors that no version of this package knows are answers, with their number', async () => {
  await using server = await startFakeServer();
  const { connection, client } = await meet(server);
  const codes = [-127, -125, -120, -13, -999_999, 17];
  const answers = Promise.all(codes.map(() => connection.send(remove('/a'))));
  client.send(...codes.map((code, index) => replyTo(index + 1, code, () => {}, 5n)));
  expect(await answers).toEqual([
    { ok: false, error: 'THROTTLED', code: -127, zxid: 5n },
    { ok: false, error: 'QUOTA_EXCEEDED', code: -125, zxid: 5n },
    { ok: false, error: 'EPHEMERAL_ON_LOCAL_SESSION', code: -120, zxid: 5n },
    { ok: false, error: 'OTHER', code: -13, zxid: 5n },
    { ok: false, error: 'OTHER', code: -999_999, zxid: 5n },
    { ok: false, error: 'OTHER', code: 17, zxid: 5n },
  ]);
  expect(connection.ended).toBe(false);
  connection.destroy(new Error('over'));
});

test.each([
  [-1, 'SYSTEM_ERROR'],
  [-4, 'CONNECTION_LOSS'],
  [-5, 'MARSHALLING_ERROR'],
  [-7, 'OPERATION_TIMEOUT'],
  [-118, 'SESSION_MOVED'],
])('error %s ends the connection with %s', async (code, name) => {
  await using server = await startFakeServer();
  const { connection, client, ended } = await meet(server);
  const send = connection.send(remove('/a'));
  client.send(replyTo(1, code));
  await expect(send).rejects.toBeInstanceOf(ConnectionLostError);
  const cause = await ended;
  expect(cause).toBeInstanceOf(FatalAnswerError);
  expect(cause).toMatchObject({ code: name });
});

test.each([
  ['an expired session', -112, SessionExpiredError],
  ['refused credentials', -115, AuthFailedError],
] as const)('%s is told as such', async (_, code, expected) => {
  await using server = await startFakeServer();
  const { connection, client, ended } = await meet(server);
  const send = connection.send(remove('/a'));
  client.send(replyTo(1, code));
  await expect(send).rejects.toBeInstanceOf(ConnectionLostError);
  expect(await ended).toBeInstanceOf(expected);
});

test('replies may come in any pieces', async () => {
  await using server = await startFakeServer();
  const { connection, client } = await meet(server);
  client.socket.setNoDelay(true);
  const answers = Promise.all([connection.send(remove('/a')), connection.send(remove('/b'))]);
  const bytes = Buffer.concat([replyTo(1), eventOf(2, '/a'), replyTo(2, -101)]);
  for (const byte of bytes) {
    client.send(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  expect(await answers).toMatchObject([{ ok: true }, { error: 'NO_NODE' }]);
  connection.destroy(new Error('over'));
});

test('the rest of a frame that was cut off does not reach the next connection', async () => {
  await using server = await startFakeServer();
  const first = await meet(server);
  const send = first.connection.send(remove('/a'));
  first.client.send(replyTo(1).subarray(0, 9));
  first.client.socket.end();
  await expect(send).rejects.toThrow('the server closed the connection');
  const second = await meet(server);
  const answer = second.connection.send(remove('/a'));
  second.client.send(replyTo(1));
  expect(await answer).toMatchObject({ ok: true });
  second.connection.destroy(new Error('over'));
});

test('numbers of requests start again at 1 behind the last positive int32', async () => {
  await using server = await startFakeServer();
  const { connection, client } = await meet(server, { firstXid: 2 ** 31 - 2 });
  const answers = Promise.all(['/a', '/b', '/c', '/d'].map((path) => connection.send(remove(path))));
  const xids: number[] = [];
  for (let count = 0; count < 4; count += 1) xids.push((await client.request()).xid);
  expect(xids).toEqual([2 ** 31 - 2, 2 ** 31 - 1, 1, 2]);
  client.send(...xids.map((xid) => replyTo(xid)));
  expect(await answers).toMatchObject([{ ok: true }, { ok: true }, { ok: true }, { ok: true }]);
  connection.destroy(new Error('over'));
});

test('events and replies are seen in the order in which they come', async () => {
  await using server = await startFakeServer();
  const seen: string[] = [];
  const opening = openConnection({ address: server.address, onEvent: ({ path }) => seen.push(path) });
  const client = await server.client();
  await client.accept();
  const { connection } = await opening;
  const sends = Promise.all([
    connection.send(exists('/one', true)).then(() => seen.push('first reply')),
    connection.send(exists('/two', true)).then(() => seen.push('second reply')),
  ]);
  client.send(eventOf(1, '/before'), replyTo(1, -101));
  await expect.poll(() => seen).toEqual(['/before', 'first reply']);
  client.send(eventOf(3, '/between'), replyTo(2, -101));
  await sends;
  expect(seen).toEqual(['/before', 'first reply', '/between', 'second reply']);
  connection.destroy(new Error('over'));
});

describe('a server that says nothing', () => {
  test('after it accepted TCP: connect rejects in time, and the socket is gone', async () => {
    await using server = await startFakeServer();
    const connecting = connect(partsOf({ address: server.address, within: 200 }));
    const client = await server.client();
    await expect(connecting).rejects.toMatchObject({
      name: 'SilentServerError',
      address: server.address,
      message: `no connection to ZooKeeper at 127.0.0.1:${server.address.port}: no answer within 200 ms`,
    });
    await client.gone();
  });

  test('to the credentials: connect rejects in time', async () => {
    await using server = await startFakeServer();
    const auth = [{ scheme: 'digest', credentials: Buffer.from('a:b') }];
    const connecting = connect(partsOf({ address: server.address, auth, within: 300 }));
    const client = await server.client();
    await client.accept();
    await expect(connecting).rejects.toThrow('no answer within 300 ms');
    await client.gone();
  });

  test('after the handshake: a caller that watches the clock sees it', async () => {
    await using server = await startFakeServer();
    const { connection, client } = await meet(server);
    const before = connection.lastHeardAt;
    const send = connection.send(remove('/a'));
    await client.request();
    expect(connection.unanswered).toBe(1);
    expect(connection.oldestUnansweredAt).toBeGreaterThanOrEqual(before);
    expect(connection.lastHeardAt).toBe(before);
    connection.destroy(new Error('too long'));
    await expect(send).rejects.toThrow('too long');
    await client.gone();
  });

  test('to the end of the session: the connection ends in time', async () => {
    await using server = await startFakeServer();
    const { connection, client, ended } = await meet(server);
    await connection.end(100);
    expect((await client.request()).op).toBe(-11);
    await client.gone();
    expect((await ended).message).toBe('closed; the server did not answer within 100 ms');
  });
});

describe('a handshake that fails', () => {
  test.each<readonly [string, Buffer, string]>([
    ['a read-only server', Buffer.alloc(0), 'it is read-only, cut off from its quorum'],
    [
      'an answer in another version',
      frameOf((writer) => writer.int(1)),
      'protocol version 1 in the answer to the connect request',
    ],
    ['an answer that is cut', frameOf((writer) => writer.int(0)), 'a frame ends 4 bytes too early'],
    [
      'an HTTP server',
      Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'a frame of 1213486160 bytes; the longest that is accepted is 4194304',
    ],
  ])('%s', async (name, bytes, message) => {
    await using server = await startFakeServer();
    const connecting = connect(partsOf({ address: server.address }));
    const client = await server.client();
    if (name === 'a read-only server') await client.accept({ readOnly: true });
    else client.send(bytes);
    await expect(connecting).rejects.toMatchObject({
      name: 'ConnectError',
      message: `no connection to ZooKeeper at 127.0.0.1:${server.address.port}: ${message}`,
    });
    await client.gone();
  });

  test('a server that closes the connection', async () => {
    await using server = await startFakeServer();
    const connecting = connect(partsOf({ address: server.address }));
    (await server.client()).socket.end();
    await expect(connecting).rejects.toThrow('the server closed the connection');
  });

  test('a session that is not there any more', async () => {
    await using server = await startFakeServer();
    const connecting = connect(partsOf({ address: server.address, resume: { id: 5n, password: Buffer.alloc(16) } }));
    const client = await server.client();
    await client.accept({ timeout: 0, id: 0n });
    await expect(connecting).rejects.toBeInstanceOf(SessionExpiredError);
    await client.gone();
  });

  test('a reply to something else before the one to the credentials', async () => {
    await using server = await startFakeServer();
    const auth = [{ scheme: 'digest', credentials: Buffer.from('a:b') }];
    const connecting = connect(partsOf({ address: server.address, auth }));
    const client = await server.client();
    await client.accept();
    client.send(replyTo(1));
    await expect(connecting).rejects.toThrow('a reply to request 1 where one to the credentials is due');
  });

  test('the credentials are answered before the connect request', async () => {
    await using server = await startFakeServer();
    const auth = ['a:b', 'c:d'].map((text) => ({ scheme: 'digest', credentials: Buffer.from(text) }));
    const connecting = connect(partsOf({ address: server.address, auth }));
    const client = await server.client();
    client.send(replyTo(-4));
    await client.accept();
    client.send(replyTo(-4));
    const connection = await connecting;
    expect(connection.session.id).toBe(7n);
    connection.destroy(new Error('over'));
  });

  test('credentials are refused before the connect request is answered', async () => {
    await using server = await startFakeServer();
    const auth = [{ scheme: 'digest', credentials: Buffer.from('a:b') }];
    const connecting = connect(partsOf({ address: server.address, auth }));
    const client = await server.client();
    client.send(replyTo(-4, -115));
    await expect(connecting).rejects.toBeInstanceOf(AuthFailedError);
  });

  test('more answers to credentials than were sent', async () => {
    await using server = await startFakeServer();
    const connecting = connect(partsOf({ address: server.address }));
    const client = await server.client();
    client.send(replyTo(-4));
    await expect(connecting).rejects.toThrow('an answer to credentials that were not sent');
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

  test('no server listens', async () => {
    const server = await startFakeServer();
    await server.stop();
    await expect(connect(partsOf({ address: server.address }))).rejects.toMatchObject({
      name: 'ConnectError',
      cause: { code: 'ECONNREFUSED' },
    });
  });

  test('no server listens at any address of a name', async () => {
    const server = await startFakeServer();
    await server.stop();
    const lookup: LookupFunction = (_, __, found) =>
      found(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]);
    const { port } = server.address;
    // `lookup` goes with the options of TLS to the socket.
    const connecting = connect(partsOf({ address: { host: 'zookeeper.test', port }, tls: { lookup } }));
    await expect(connecting).rejects.toThrow(
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
});

test('a session that goes on must be the one that was asked for', async () => {
  await using server = await startFakeServer();
  const connecting = connect(partsOf({ address: server.address, resume: { id: 7n, password: Buffer.alloc(16, 1) } }));
  const client = await server.client();
  await client.accept({ id: 8n });
  await expect(connecting).rejects.toMatchObject({
    name: 'ConnectError',
    message: expect.stringContaining('session 0x8 in place of 0x7') as unknown,
  });
  await client.gone();
});
