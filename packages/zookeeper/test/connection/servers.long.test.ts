import type { ConnectionOptions } from 'node:tls';
import { systemRuntime } from '@locks/core/adapter';
import { startZookeeper } from '@locks/test-servers';
import type { ServerHandle, ZookeeperTlsServer } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/connection/connect.ts';
import { SessionExpiredError } from '../../src/connection/errors.ts';
import { serverMode } from '../../src/servers/server-mode.ts';
import { create, exists, getData } from '../../src/wire/requests.ts';
import { ping } from '../support/ping.ts';
import { startFakeServer } from '../support/fake-server.ts';
import { openConnection, partsOf } from '../support/open.ts';

const open = [{ scheme: 'world', id: 'anyone', permissions: 31 }];
const data = Buffer.from('data');
const auth = ['a:b', 'c:d'].map((text) => ({ scheme: 'digest', credentials: Buffer.from(text) }));
const asked = { within: 5_000, runtime: systemRuntime };

function node(path: string): ReturnType<typeof create> {
  return create({ path, data, acl: open, kind: 'ephemeral' });
}

describe('with one server', () => {
  let server: ServerHandle;

  beforeAll(async () => {
    server = await startZookeeper({ tickTime: 500 });
  });

  afterAll(() => server.stop());

  test('a session goes on over the next connection, and ends with end()', async () => {
    const first = await openConnection({ address: server });
    const { session } = first.connection;
    expect(await first.connection.send(node('/resumed'))).toMatchObject({ ok: true });
    const { lastZxid } = first.connection;
    first.connection.destroy(new Error('on purpose'));
    const second = await openConnection({ address: server, resume: session, lastZxid });
    expect(second.connection.session).toEqual(session);
    expect(await second.connection.send(exists('/resumed'))).toMatchObject({
      ok: true,
      value: { ephemeralOwner: session.id },
    });
    await second.connection.end(5_000);
    expect((await second.ended).message).toBe('closed');
    const other = await openConnection({ address: server });
    expect(await other.connection.send(exists('/resumed'))).toMatchObject({ error: 'NO_NODE' });
    await other.connection.end(5_000);
    await expect(connect(partsOf({ address: server, resume: session }))).rejects.toBeInstanceOf(SessionExpiredError);
  });

  test('the longest request that a server accepts is sent, and a longer one is not', async () => {
    const withData = (length: number): ReturnType<typeof create> =>
      create({ path: '/big', data: Buffer.alloc(length), acl: open, kind: 'ephemeral' });
    const { connection } = await openConnection({ address: server });
    // Beside its data it has 51 bytes.
    const longest = 0xf_ffff - 51;
    await expect(connection.send(withData(longest + 1))).rejects.toEqual(
      new RangeError(
        'the creation of "/big" takes 1048576 bytes; the longest request that ZooKeeper accepts is 1048575',
      ),
    );
    expect(await connection.send(withData(longest))).toMatchObject({ ok: true });
    await connection.end(5_000);
  });

  test('10 000 requests at once are answered in order', async () => {
    const { connection } = await openConnection({ address: server });
    await connection.send(node('/many'));
    const order: number[] = [];
    const sends = Array.from({ length: 10_000 }, async (_, index) => {
      const answer = await connection.send<unknown>(index % 2 === 0 ? getData('/many') : exists('/missing'));
      order.push(index);
      return answer.ok;
    });
    expect(connection.unanswered).toBe(256);
    // A heartbeat does not wait behind all of them.
    const beaten = connection.send(ping, { background: true }).then(() => order.length);
    const answers = await Promise.all(sends);
    expect(await beaten).toBeLessThan(1_000);
    expect(answers.every((ok, index) => ok === (index % 2 === 0))).toBe(true);
    expect(order.every((index, at) => index === at)).toBe(true);
    expect([connection.unanswered, connection.oldestUnansweredAt]).toEqual([0, undefined]);
    await connection.end(5_000);
  });
});

describe('the mode of a server is unknown', () => {
  test('that does not allow the question', async () => {
    await using server = await startFakeServer();
    const asking = serverMode(server.address, asked);
    const { socket } = await server.client();
    // As ZooKeeper 3.8 says it.
    socket.end('srvr is not executed because it is not in the whitelist.\n');
    expect(await asking).toBe('unknown');
  });

  test('that does not end its answer', async () => {
    await using server = await startFakeServer();
    const asking = serverMode(server.address, asked);
    const { socket } = await server.client();
    socket.write('Mode: nonsense\n'.repeat(2_000));
    expect(await asking).toBe('unknown');
  });

  test('that does not answer in time, or is not there', async () => {
    const server = await startFakeServer();
    const asking = serverMode(server.address, { ...asked, within: 100 });
    const client = await server.client();
    expect(await asking).toBe('unknown');
    await client.gone();
    await server.stop();
    expect(await serverMode(server.address, asked)).toBe('unknown');
  });
});

describe.each(['server', 'mutual'] as const)('with TLS (%s), on a server that uses Netty', (mode) => {
  let server: ZookeeperTlsServer;
  let tls: ConnectionOptions;

  beforeAll(async () => {
    server = await startZookeeper({ tls: mode });
    const { ca, cert, key } = server.tls;
    tls = mode === 'mutual' ? { ca, cert, key } : { ca };
  });

  afterAll(() => server.stop());

  test('requests, credentials and the question for the mode go over TLS', async () => {
    const { connection } = await openConnection({ address: server.tls, tls, auth });
    const answers = await Promise.all([connection.send(node('/tls')), connection.send(exists('/tls'))]);
    expect(answers).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await serverMode(server.tls, { ...asked, tls })).toBe('standalone');
    await connection.end(5_000);
  });

  test('credentials go out directly behind the connect request without TLS, too', async () => {
    const { connection } = await openConnection({ address: server, auth });
    expect(await connection.send(node('/netty'))).toMatchObject({ ok: true });
    await connection.end(5_000);
  });
});
