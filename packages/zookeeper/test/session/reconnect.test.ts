import { createServer, connect as connectTo } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventually, startProxy } from '@locks/test-servers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { exists, remove, setData } from '../../src/wire/requests.ts';
import { Opened, isThere, makeNode, ownPath, valueOf } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000 });

test('the first ready() begins a session, the next ones give the same', async () => {
  await using opened = new Opened();
  const sessions = opened.sessions([server]);
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

test('close() ends the session at the server', async () => {
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);
  const sessions = opened.sessions([server]);
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  await sessions.close();
  expect(sessions.state).toBe('closed');
  expect(session.lost.aborted).toBe(true);
  expect(await isThere(observer, path)).toBe(false);
  await expect(sessions.ready(1_000)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  await expect(session.send(remove(path))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});

test('a session survives a cut connection with its nodes and its watches', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);
  const sessions = opened.sessions([proxy]);
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  const watched = await makeNode(observer, ownPath(), 'persistent');
  const fired: string[] = [];
  expect(await session.watch(watched, () => fired.push('watched'))).toBe('watching');

  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('the session is suspended', () => sessions.state === 'suspended');
  expect(session.alive).toBe(true);
  expect(session.connected).toBe(false);
  await expect(session.send(remove(path))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await expect(session.watch(watched, () => {})).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  admit();
  expect(await sessions.ready(5_000)).toBe(session);
  expect(await isThere(observer, path)).toBe(true);
  expect(fired).toEqual([]);
  valueOf(await observer.send(setData(watched, Buffer.from('x'))));
  await eventually('the watch fires', () => fired.length === 1);
});

test('who is told of a lost connection finds the session without one', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const session = await opened.sessions([proxy]).ready(5_000);
  proxy.delay(1_000);
  const seen = session.send(exists('/')).catch(() => session.connected);
  await proxy.cut();
  expect(await seen).toBe(false);
});

test('a watch that fired while there was no connection is told after it', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);
  const sessions = opened.sessions([proxy]);
  const session = await sessions.ready(5_000);
  const [changed, removed, kept] = await Promise.all([1, 2, 3].map(() => makeNode(observer, ownPath(), 'persistent')));
  if (changed === undefined || removed === undefined || kept === undefined) throw new Error('three paths');
  const fired: string[] = [];
  for (const path of [changed, removed, kept]) {
    expect(await session.watch(path, () => fired.push(path))).toBe('watching');
  }
  const admit = proxy.refuse();
  await proxy.cut();
  valueOf(await observer.send(setData(changed, Buffer.from('x'))));
  valueOf(await observer.send(remove(removed)));
  admit();
  await sessions.ready(5_000);
  await eventually('both are told', () => fired.length === 2);
  expect(fired.toSorted()).toEqual([changed, removed].toSorted());
});

test.each(['requests', 'replies', 'both'] as const)(
  'silence of %s ends the connection, not the session',
  async (way) => {
    await using proxy = await startProxy(server);
    await using opened = new Opened();
    // A session of 3 s leaves a server that stands still for a second, as on a busy machine.
    const observer = await opened.sessions([server]).ready(5_000);
    const sessions = opened.sessions([proxy], { sessionTimeout: 3_000 });
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

test('a connection cut in the middle of a reply is replaced', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const sessions = opened.sessions([proxy]);
  const session = await sessions.ready(5_000);
  const path = ownPath();
  const { sprung } = proxy.cutMidFrame('replies', { when: (piece) => piece.includes(path) });
  await expect(makeNode(session, path, 'ephemeral')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await sprung;
  expect(await sessions.ready(5_000)).toBe(session);
  expect(await isThere(session, path)).toBe(true);
});

test('a session survives refused connections and a silent one behind them', async () => {
  let mode: 'serve' | 'refuse' | 'swallow one' = 'serve';
  const inbound = new Set<{ destroy(): unknown }>();
  const front = createServer((socket) => {
    inbound.add(socket);
    socket.on('error', () => {});
    if (mode === 'refuse') socket.destroy();
    if (mode === 'swallow one') mode = 'serve';
    else if (mode === 'serve') {
      const back = connectTo(server.port, server.host);
      back.on('error', () => socket.destroy());
      socket.on('close', () => back.destroy());
      back.on('close', () => socket.destroy());
      socket.pipe(back).pipe(socket);
    }
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void front.close());
  onTestFinished(() => inbound.forEach((socket) => socket.destroy()));
  await using opened = new Opened();
  const sessions = opened.sessions([{ host: '127.0.0.1', port: (front.address() as AddressInfo).port }]);
  const session = await sessions.ready(5_000);
  mode = 'refuse';
  for (const socket of inbound) socket.destroy();
  await eventually('the session is suspended', () => sessions.state === 'suspended');
  await sleep(1_500);
  mode = 'swallow one';
  await eventually('a connection is swallowed', () => mode === 'serve');
  expect(await sessions.ready(4_000)).toBe(session);
  expect(session.alive).toBe(true);
}, 20_000);
