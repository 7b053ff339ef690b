import { eventually } from '@locks/test-servers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { exists } from '../../src/wire/requests.ts';
import { transports } from '../support/client-sessions.ts';
import { isThere, makeNode, openSession, openSessions, ownPath, ownProxy } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000 });

test('the first ready() begins a session, the next ones give the same', async () => {
  const sessions = openSessions([server]);
  expect(sessions.state).toBe('idle');
  expect(sessions.current).toBeUndefined();
  const [one, another] = await Promise.all([sessions.ready(5_000), sessions.ready(5_000)]);
  expect(one).toBe(another);
  expect(sessions.state).toBe('connected');
  expect(sessions.current).toBe(one);
  expect(one.timeout).toBe(6_000);
  expect(one.alive).toBe(true);
  const path = await makeNode(one, ownPath(), 'ephemeral');
  expect(await isThere(one, path)).toBe(true);
});

test('who is told of a lost connection finds the session without one', async () => {
  const proxy = await ownProxy(server);
  const session = await openSession([proxy]);
  proxy.delay(1_000);
  const seen = session.send(exists('/')).catch(() => session.connected);
  await proxy.cut();
  expect(await seen).toBe(false);
});

test.each(['requests', 'replies', 'both'] as const)(
  'silence of %s ends the connection, not the session',
  async (way) => {
    const proxy = await ownProxy(server);
    // A session of 3 s leaves a server that stands still for a second, as on a busy machine.
    const observer = await openSession([server]);
    const sessions = openSessions([proxy], { sessionTimeout: 3_000 });
    const session = await sessions.ready(5_000);
    const path = await makeNode(session, ownPath(), 'ephemeral');
    const speak = proxy.silence(way);
    const silentSince = performance.now();
    await eventually('the session is suspended', () => sessions.state === 'suspended');
    // After a pulse of a ninth, and a third of silence: in time for another server, on a slow
    // machine too.
    expect(performance.now() - silentSince).toBeLessThan((3_000 * 2) / 3);
    await speak();
    expect(await sessions.ready(5_000)).toBe(session);
    expect(await isThere(observer, path)).toBe(true);
  },
);

test('a session survives refused connections and a silent one behind them', async () => {
  const proxy = await ownProxy(server);
  const sessions = openSessions([proxy]);
  const session = await sessions.ready(5_000);
  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('the session is suspended', () => sessions.state === 'suspended');
  await sleep(1_500);
  const speak = proxy.silence();
  admit();
  await eventually('a connection is swallowed', () => proxy.clientConnections === 1);
  proxy.strand();
  await speak();
  expect(await sessions.ready(4_000)).toBe(session);
  expect(session.alive).toBe(true);
}, 20_000);

test.each(transports)('over $over a connection cut in the middle of a reply is replaced', async (transport) => {
  const proxy = await ownProxy(server);
  const sessions = transport.sessions([proxy]);
  const session = await sessions.ready(5_000);
  for (let round = 0; round < 3; round += 1) {
    const path = ownPath();
    const { sprung } = proxy.cutMidFrame('replies', { when: (piece) => piece.includes(path) });
    await expect(makeNode(session, path, 'ephemeral')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await sprung;
    expect(await sessions.ready(5_000)).toBe(session);
    expect(await isThere(session, path)).toBe(true);
  }
});
