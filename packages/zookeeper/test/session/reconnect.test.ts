import { type ServerHandle, startProxy, startZookeeper } from '@locks/test-servers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { remove, setData } from '../../src/wire/requests.ts';
import { eventually } from '../support/waiting.ts';
import { Opened, isThere, makeNode, ownPath, valueOf } from '../support/sessions.ts';

let server: ServerHandle;

beforeAll(async () => {
  server = await startZookeeper({ tickTime: 500, minSessionTimeout: 1_000 });
});
afterAll(() => server.stop());

test('the first ready() begins a session, the next ones give the same', async () => {
  await using opened = new Opened();
  const session = opened.session([server]);
  expect(session.state).toBe('idle');
  expect(session.current).toBeUndefined();
  const [one, another] = await Promise.all([session.ready(5_000), session.ready(5_000)]);
  expect(one).toBe(another);
  expect(session.state).toBe('connected');
  expect(session.current).toBe(one);
  expect(one.timeout).toBe(6_000);
  expect(one.alive).toBe(true);
  const path = await makeNode(one, ownPath(), 'ephemeral');
  expect(await isThere(one, path)).toBe(true);
});

test('close() ends the session at the server', async () => {
  await using opened = new Opened();
  const observer = await opened.session([server]).ready(5_000);
  const session = opened.session([server]);
  const generation = await session.ready(5_000);
  const path = await makeNode(generation, ownPath(), 'ephemeral');
  await session.close();
  expect(session.state).toBe('closed');
  expect(generation.lost.aborted).toBe(true);
  expect(await isThere(observer, path)).toBe(false);
  await expect(session.ready(1_000)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  await expect(generation.send(remove(path))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});

test('a session survives a cut connection with its nodes and its watches', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const observer = await opened.session([server]).ready(5_000);
  const session = opened.session([proxy]);
  const generation = await session.ready(5_000);
  const path = await makeNode(generation, ownPath(), 'ephemeral');
  const watched = await makeNode(observer, ownPath(), 'persistent');
  const fired: string[] = [];
  expect(await generation.watch(watched, () => fired.push('watched'))).toBe('watching');

  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('the session is suspended', () => session.state === 'suspended');
  expect(generation.alive).toBe(true);
  expect(generation.connected).toBe(false);
  await expect(generation.send(remove(path))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await expect(generation.watch(watched, () => {})).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  admit();
  expect(await session.ready(5_000)).toBe(generation);
  expect(await isThere(observer, path)).toBe(true);
  expect(fired).toEqual([]);
  valueOf(await observer.send(setData(watched, Buffer.from('x'))));
  await eventually('the watch fires', () => fired.length === 1);
});

test('a watch that fired while there was no connection is told after it', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const observer = await opened.session([server]).ready(5_000);
  const session = opened.session([proxy]);
  const generation = await session.ready(5_000);
  const [changed, removed, kept] = await Promise.all([1, 2, 3].map(() => makeNode(observer, ownPath(), 'persistent')));
  if (changed === undefined || removed === undefined || kept === undefined) throw new Error('three paths');
  const fired: string[] = [];
  for (const path of [changed, removed, kept]) {
    expect(await generation.watch(path, () => fired.push(path))).toBe('watching');
  }
  const admit = proxy.refuse();
  await proxy.cut();
  valueOf(await observer.send(setData(changed, Buffer.from('x'))));
  valueOf(await observer.send(remove(removed)));
  admit();
  await session.ready(5_000);
  await eventually('both are told', () => fired.length === 2);
  expect(fired.toSorted()).toEqual([changed, removed].toSorted());
});

test.each(['requests', 'replies', 'both'] as const)(
  'silence of %s ends the connection, not the session',
  async (way) => {
    await using proxy = await startProxy(server);
    await using opened = new Opened();
    const session = opened.session([proxy], { sessionTimeout: 3_000 });
    const generation = await session.ready(5_000);
    const path = await makeNode(generation, ownPath(), 'ephemeral');
    const speak = proxy.silence(way);
    const silentSince = performance.now();
    await eventually('the session is suspended', () => session.state === 'suspended');
    // After a pulse of a ninth, and a third of silence: in time for another server, on a slow machine too.
    expect(performance.now() - silentSince).toBeLessThan((3_000 * 2) / 3);
    await speak();
    expect(await session.ready(5_000)).toBe(generation);
    expect(await isThere(generation, path)).toBe(true);
  },
);

test('a connection cut in the middle of a reply is replaced', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const session = opened.session([proxy]);
  const generation = await session.ready(5_000);
  const path = ownPath();
  const { sprung } = proxy.cutMidFrame('replies', { when: (piece) => piece.includes(path) });
  await expect(makeNode(generation, path, 'ephemeral')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await sprung;
  expect(await session.ready(5_000)).toBe(generation);
  expect(await isThere(generation, path)).toBe(true);
});
