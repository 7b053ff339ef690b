import { eventually, type Way } from '@locks/test-servers';
import { systemRuntime } from '@locks/core/adapter';
import { expect, test } from 'vitest';
import { rewriteReplies } from '../support/rewrite.ts';
import { isThere, makeNode, openSession, openSessions, ownPath, ownProxy } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000, maxSessionTimeout: 60_000 });

const fromTheFirst = { ...systemRuntime, random: () => 0 };

/** Makes the server say that it is of another mode. */
function pretend(mode: string): { rewrite(piece: Buffer, way: Way): Buffer } {
  return {
    rewrite: (piece, way) =>
      way === 'replies'
        ? Buffer.from(piece.toString('latin1').replace('Mode: standalone', `Mode: ${mode}`), 'latin1')
        : piece,
  };
}

test('a silent first server is left in time for the second', async () => {
  const silent = await ownProxy(server);
  silent.silence();
  const sessions = openSessions([silent, server], { runtime: fromTheFirst });
  const since = performance.now();
  await sessions.ready(10_000);
  expect(performance.now() - since).toBeLessThan(3_000);
});

test('a session outlives that its server falls silent, at another one', async () => {
  const first = await ownProxy(server);
  const second = await ownProxy(server);
  const sessions = openSessions([first, second], { runtime: fromTheFirst });
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  first.silence();
  await eventually('it is connected to the second', () => second.clientConnections > 0 && session.connected);
  expect(session.alive).toBe(true);
  expect(await isThere(session, path)).toBe(true);
});

test('processes do not all begin at the first server', async () => {
  const first = await ownProxy(server);
  const second = await ownProxy(server);
  await openSessions([first, second], { runtime: { ...systemRuntime, random: () => 0.6 } }).ready(5_000);
  expect(first.clientConnections).toBe(0);
  await eventually('it is connected to the second', () => second.clientConnections === 1);
});

test.each(['observer', 'read-only'])('a server that is %s is not used', async (mode) => {
  const proxy = await ownProxy(server, pretend(mode));
  const sessions = openSessions([proxy, server], { runtime: fromTheFirst });
  await sessions.ready(5_000);
  await eventually('it has left the first', () => proxy.clientConnections === 0);

  const refused = openSessions([proxy]);
  const address = `127.0.0.1:${proxy.port} (${mode})`;
  await expect(refused.ready(5_000)).rejects.toMatchObject(misconfigured(address));
  // It is not asked for each call.
  const since = performance.now();
  await expect(refused.ready(5_000)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  expect(performance.now() - since).toBeLessThan(100);
});

test('a session that is taken up for too short a time is told lost before its nodes go', async () => {
  let armed = false;
  const replies = rewriteReplies(({ frame, xid }) => {
    // The answer to a connect request begins with the version of the protocol, the timeout follows.
    if (armed && xid === 0) frame.writeInt32BE(20, 8);
    return frame;
  });
  const proxy = await ownProxy(server, replies);
  const observer = await openSession([server]);
  const sessions = openSessions([proxy]);
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  let [lostAt, removedAt] = [Infinity, Infinity];
  session.lost.addEventListener('abort', () => (lostAt = performance.now()));
  expect(await observer.watch(path, () => (removedAt = performance.now()))).toBe('watching');
  armed = true;
  await proxy.cut();
  await eventually('the end of the node', () => removedAt < Infinity);
  expect(lostAt).toBeLessThanOrEqual(removedAt);
  armed = false;
  expect(await sessions.ready(10_000)).not.toBe(session);
});

test('refused credentials are told to the calls that wait, and tried again later', async () => {
  const sessions = openSessions([server], {
    auth: [{ scheme: 'no-such-scheme', credentials: Buffer.from('secret') }],
  });
  const answers = await Promise.allSettled([sessions.ready(5_000), sessions.ready(5_000)]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_MISCONFIGURED' } });
    expect(String((answer as PromiseRejectedResult).reason)).toContain('no-such-scheme');
    expect(String((answer as PromiseRejectedResult).reason)).not.toContain('secret');
  }
});

test('without a server ready() rejects in time, with the cause, and later finds one', async () => {
  const proxy = await ownProxy(server);
  const admit = proxy.refuse();
  const sessions = openSessions([proxy]);
  const since = performance.now();
  await expect(sessions.ready(300)).rejects.toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    cause: { name: 'ConnectError' },
  });
  expect(performance.now() - since).toBeLessThan(2_000);
  await eventually('it has given up', () => sessions.state === 'idle');
  admit();
  await sessions.ready(5_000);
});

test('a server that is killed and started again keeps the session', async () => {
  const sessions = openSessions([server], { sessionTimeout: 60_000 });
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  await server.kill();
  await eventually('the end is noticed', () => sessions.state === 'suspended');
  await server.restart();
  expect(await sessions.ready(30_000)).toBe(session);
  expect(await isThere(session, path)).toBe(true);
}, 60_000);
