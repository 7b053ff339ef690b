import { describe, expect, test } from 'vitest';
import { connect } from '../../src/connection/connect.ts';
import type { ConnectionParts } from '../../src/connection/connect.ts';
import {
  AuthFailedError,
  ConnectionLostError,
  FatalAnswerError,
  SessionExpiredError,
} from '../../src/connection/errors.ts';
import { ProtocolError } from '../../src/wire/protocol-error.ts';
import { getChildren, remove } from '../../src/wire/requests.ts';
import { acceptance, eventOf, frameOf, replyTo, startFakeServer } from '../support/fake-server.ts';
import { existsWatched } from '../support/requests.ts';
import { meet, partsOf } from '../support/open.ts';

const auth = [{ scheme: 'digest', credentials: Buffer.from('a:b') }];
const longest = 'the longest that is accepted is';

test.each<readonly [string, Buffer, string]>([
  ['a reply out of order', replyTo(2), 'a reply to request 2, where one to 1 is due'],
  ['a negative length', Buffer.from('fffffffe', 'hex'), `a frame of -2 bytes; ${longest} 4096`],
  ['a huge length', Buffer.from('7fffffff', 'hex'), `a frame of 2147483647 bytes; ${longest} 4096`],
  ['a frame over the limit', Buffer.from('00001001', 'hex'), `a frame of 4097 bytes; ${longest} 4096`],
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
    frameOf((writer) => {
      writer.int(-1);
      writer.long(-1n);
      writer.int(0);
      writer.int(1);
      writer.int(3);
      writer.string('/a');
      writer.bool(true);
    }),
    '1 bytes too many in a frame',
  ],
  ['empty frames', Buffer.alloc(4), 'a frame ends 4 bytes too early'],
])('%s ends the connection, with what is unanswered', async (_, bytes, message) => {
  await using server = await startFakeServer();
  const { connection, client, ended, ends, events } = await meet(server, { maxFrame: 4_096 });
  const sends = [connection.send(getChildren('/a')), connection.send(remove('/b'))];
  await client.request();
  client.send(bytes);
  const results = await Promise.allSettled(sends);
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(ConnectionLostError) as unknown });
  expect(await ended).toEqual(new ProtocolError(message));
  await client.gone();
  expect([connection.ended, connection.unanswered, ends.length, events.length]).toEqual([true, 0, 1, 0]);
});

test('so do bytes too many behind a reply', async () => {
  await using server = await startFakeServer();
  const { connection, client, ended } = await meet(server);
  const send = connection.send(remove('/a'));
  client.send(replyTo(1, 0, (writer) => writer.int(0)));
  await expect(send).rejects.toThrow('4 bytes too many in a frame');
  expect(await ended).toBeInstanceOf(ProtocolError);
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
});

test.each([
  [-1, FatalAnswerError, { code: 'SYSTEM_ERROR' }],
  [-4, FatalAnswerError, { code: 'CONNECTION_LOSS' }],
  [-5, FatalAnswerError, { code: 'MARSHALLING_ERROR' }],
  [-7, FatalAnswerError, { code: 'OPERATION_TIMEOUT' }],
  [-118, FatalAnswerError, { code: 'SESSION_MOVED' }],
  [-112, SessionExpiredError, {}],
  [-115, AuthFailedError, {}],
] as const)('error %s ends the connection with its own error', async (code, expected, shown) => {
  await using server = await startFakeServer();
  const { connection, client, ended } = await meet(server);
  const send = connection.send(remove('/a'));
  client.send(replyTo(1, code));
  await expect(send).rejects.toBeInstanceOf(ConnectionLostError);
  const cause = await ended;
  expect(cause).toBeInstanceOf(expected);
  expect(cause).toMatchObject(shown);
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
});

test('events and replies are seen in the order in which they come', async () => {
  await using server = await startFakeServer();
  const seen: string[] = [];
  const { connection, client } = await meet(server, { onEvent: ({ path }) => seen.push(path) });
  const sends = Promise.all([
    connection.send(existsWatched('/one')).then(() => seen.push('first reply')),
    connection.send(existsWatched('/two')).then(() => seen.push('second reply')),
  ]);
  client.send(eventOf(1, '/before'), replyTo(1, -101));
  await expect.poll(() => seen).toEqual(['/before', 'first reply']);
  client.send(eventOf(3, '/between'), replyTo(2, -101));
  await sends;
  expect(seen).toEqual(['/before', 'first reply', '/between', 'second reply']);
});

describe('a server that says nothing', () => {
  test.each<readonly [string, Partial<ConnectionParts>, readonly Buffer[]]>([
    ['after it accepted TCP', {}, []],
    ['to the credentials', { auth }, [acceptance()]],
  ])('%s: connect rejects in time, and the socket is gone', async (_, parts, answers) => {
    await using server = await startFakeServer();
    const refused = connect(partsOf({ address: server.address, within: 200, ...parts })).catch(
      (error: unknown) => error,
    );
    const client = await server.client();
    client.send(...answers);
    expect(await refused).toMatchObject({
      name: 'SilentServerError',
      address: server.address,
      message: `no connection to ZooKeeper at 127.0.0.1:${server.address.port}: no answer within 200 ms`,
    });
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
