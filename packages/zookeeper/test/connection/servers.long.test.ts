import { systemRuntime } from '@locks/core/adapter';
import { startZookeeper } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { serverMode } from '../../src/servers/server-mode.ts';
import { create, exists, getData } from '../../src/wire/requests.ts';
import { ping } from '../support/ping.ts';
import { startFakeServer } from '../support/fake-server.ts';
import type { FakeClient } from '../support/fake-server.ts';
import { openConnection } from '../support/open.ts';
import { ownServer } from '../support/servers.ts';

const open = [{ scheme: 'world', id: 'anyone', permissions: 31 }];
const data = Buffer.from('data');
const auth = ['a:b', 'c:d'].map((text) => ({ scheme: 'digest', credentials: Buffer.from(text) }));
const asked = { within: 5_000, runtime: systemRuntime };

function node(path: string): ReturnType<typeof create> {
  return create({ path, data, acl: open, kind: 'ephemeral' });
}

const server = await ownServer({ tickTime: 500 });

test('the longest request that a server accepts is sent, and a longer one is not', async () => {
  const withData = (length: number): ReturnType<typeof create> =>
    create({ path: '/big', data: Buffer.alloc(length), acl: open, kind: 'ephemeral' });
  const { connection } = await openConnection({ address: server });
  // Beside its data it has 51 bytes.
  const longest = 0xf_ffff - 51;
  await expect(connection.send(withData(longest + 1))).rejects.toEqual(
    new RangeError('the creation of "/big" takes 1048576 bytes; the longest request that ZooKeeper accepts is 1048575'),
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

test.each<readonly [string, (client: FakeClient) => unknown]>([
  // As ZooKeeper 3.8 says it.
  [
    'does not allow the question',
    ({ socket }) => socket.end('srvr is not executed because it is not in the whitelist.\n'),
  ],
  ['does not end its answer', ({ socket }) => socket.write('Mode: nonsense\n'.repeat(2_000))],
  ['does not answer in time', () => {}],
])('the mode of a server that %s is unknown', async (_, answer) => {
  const fake = await startFakeServer();
  const asking = serverMode({ ...asked, address: fake.address, within: 500 });
  const client = await fake.client();
  answer(client);
  expect(await asking).toBe('unknown');
  await client.gone();
  await fake.stop();
  expect(await serverMode({ ...asked, address: fake.address })).toBe('unknown');
});

test.each(['server', 'mutual'] as const)(
  'with TLS (%s), on a server that uses Netty: requests, credentials and the question for the mode',
  async (mode) => {
    const netty = await startZookeeper({ tls: mode });
    onTestFinished(() => netty.stop());
    const { ca, cert, key } = netty.tls;
    const tls = mode === 'mutual' ? { ca, cert, key } : { ca };
    const secure = await openConnection({ address: netty.tls, tls, auth });
    const answers = await Promise.all([secure.connection.send(node('/tls')), secure.connection.send(exists('/tls'))]);
    expect(answers).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await serverMode({ ...asked, address: netty.tls, tls })).toBe('standalone');
    await secure.connection.end(5_000);
    // Credentials go out directly behind the connect request without TLS, too.
    const { connection } = await openConnection({ address: netty, auth });
    expect(await connection.send(node('/netty'))).toMatchObject({ ok: true });
    await connection.end(5_000);
  },
);
