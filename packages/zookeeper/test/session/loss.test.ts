import { eventually } from '@locks/test-servers';
import { systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { expect, test } from 'vitest';
import { isThere, makeNode, openSession, openSessions, ownPath, ownProxy } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000 });

test('the first look after a blocked event loop finds the session lost', async () => {
  const sessions = openSessions([server], { sessionTimeout: 1_000 });
  const session = await sessions.ready(5_000);
  await makeNode(session, ownPath(), 'ephemeral');
  expect(session.alive).toBe(true);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
  expect(session.connected).toBe(false);
  expect(session.lost.aborted).toBe(true);
  expect(session.lost.reason).toMatchObject({ code: 'LOCK_LOST' });
  expect(sessions.current).toBeUndefined();
});

test('a session that the server has ended is lost as soon as it says so', async () => {
  const proxy = await ownProxy(server);
  const sessions = openSessions([proxy], { sessionTimeout: 20_000 });
  const session = await sessions.ready(5_000);
  const admit = proxy.refuse();
  await proxy.cut();
  await server.restart({ keepData: false });
  admit();
  await eventually('it is lost', () => session.lost.aborted);
  expect(session.lost.reason).toMatchObject({ code: 'LOCK_LOST', cause: { name: 'SessionExpiredError' } });
  expect(await sessions.ready(5_000)).not.toBe(session);
});

test('all watches are told of the loss', async () => {
  const sessions = openSessions([server]);
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  let fired = 0;
  await session.watch(path, () => (fired += 1));
  await session.watch(path, () => (fired += 1));
  const closed = sessions.close();
  expect(fired).toBe(0);
  await closed;
  expect(fired).toBe(2);
});

/** Sessions by a clock that `skip` sets forward. */
function clockAhead(): { readonly runtime: Runtime; skip(ms: number): void } {
  let ahead = 0;
  const { clock } = systemRuntime;
  return {
    runtime: {
      ...systemRuntime,
      clock: { now: () => clock.now() + ahead, exact: () => clock.exact() + ahead, origin: clock.origin },
    },
    skip: (ms) => (ahead += ms),
  };
}

test('a session given up here is ended at the server, though no call asks for the next one', async () => {
  const proxy = await ownProxy(server);
  const observer = await openSession([server]);
  const { runtime, skip } = clockAhead();
  const sessions = openSessions([proxy], { sessionTimeout: 10_000, runtime });
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  const admit = proxy.refuse();
  await proxy.cut();
  skip(10_000);
  expect(session.alive).toBe(false);
  expect(sessions.state).toBe('lost');
  expect(await isThere(observer, path)).toBe(true);
  admit();
  // Without that the server would take ten seconds.
  await eventually('the node is removed', async () => !(await isThere(observer, path)), 5_000);
  await eventually('there is no connection left', () => proxy.clientConnections === 0);
  expect(sessions.state).toBe('lost');
  expect(await sessions.ready(5_000)).not.toBe(session);
});

test('a session that is overdue without a connection says why it has none', async () => {
  const proxy = await ownProxy(server);
  const { runtime, skip } = clockAhead();
  const sessions = openSessions([proxy], { sessionTimeout: 10_000, closeWithin: 10, runtime });
  const session = await sessions.ready(5_000);
  proxy.refuse();
  await proxy.cut();
  await eventually('it has heard of it', () => sessions.state === 'suspended');
  skip(10_000);
  expect(session.alive).toBe(false);
  expect(session.lost.reason).toMatchObject({
    code: 'LOCK_LOST',
    cause: { message: expect.stringContaining(`:${proxy.port} `) as string, cause: { code: 'ECONNRESET' } },
  });
});
