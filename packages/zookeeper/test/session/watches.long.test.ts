import { eventually, fourLetterWord } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import { Watches } from '../../src/session/watches.ts';
import { remove, setData } from '../../src/wire/requests.ts';
import { transports } from '../support/client-sessions.ts';
import { rewriteRepliesTo, withError } from '../support/rewrite.ts';
import { isThere, makeNode, openSession, openSessions, ownPath, ownProxy, valueOf } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500 });

/** How many sessions watch `path` at the server. */
async function watchers(path: string): Promise<number> {
  const lines = (await fourLetterWord(server, 'wchp')).split('\n');
  const at = lines.indexOf(path);
  if (at === -1) return 0;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith('\t'));
  return end === -1 ? rest.length : end;
}

async function open(): Promise<{ one: Session; another: Session; path: string }> {
  const [one, another] = await Promise.all([openSession([server]), openSession([server])]);
  return { one, another, path: await makeNode(one, ownPath(), 'persistent') };
}

test('the server has one watch of a path, whatever the number of listeners; all are told, once', async () => {
  const { one, another, path } = await open();
  const calls = Array.from({ length: 100 }, () => 0);
  const warnings: string[] = [];
  const warn = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  for (const _ of calls) one.lost.addEventListener('abort', () => {});
  const answers = await Promise.all(
    calls.map((_, index) => one.watch(path, () => (calls[index] = (calls[index] ?? 0) + 1))),
  );
  expect(new Set(answers)).toEqual(new Set(['watching']));
  expect(await one.watch(path, () => calls.push(1))).toBe('watching');
  expect(await watchers(path)).toBe(1);
  valueOf(await another.send(setData(path, Buffer.from('1'))));
  await eventually('all are told', () => calls.length === 101 && calls.every((count) => count === 1));
  expect(await watchers(path)).toBe(0);
  valueOf(await another.send(setData(path, Buffer.from('2'))));
  valueOf(await one.send(setData(path, Buffer.from('3'))));
  expect(calls.every((count) => count === 1)).toBe(true);
  // Node would warn of a leak of listeners.
  expect(warnings).toEqual([]);
});

test('a node that is not there leaves no watch', async () => {
  const { one } = await open();
  const path = ownPath();
  expect(await one.watch(path, () => expect.unreachable())).toBe('missing');
  expect(await watchers(path)).toBe(0);
  await makeNode(one, path, 'ephemeral');
});

test('the watch is removed with its last listener', async () => {
  const { one, another, path } = await open();
  const first = (): void => expect.unreachable();
  let told = 0;
  const second = (): void => void (told += 1);
  await one.watch(path, first);
  await one.watch(path, second);
  one.unwatch(path, first);
  expect(await watchers(path)).toBe(1);
  one.unwatch(path, second);
  await eventually('no watch is left', async () => (await watchers(path)) === 0);
  // One that is set while the removal of the former is under way stays.
  await one.watch(path, first);
  one.unwatch(path, first);
  expect(await one.watch(path, second)).toBe('watching');
  expect(await watchers(path)).toBe(1);
  valueOf(await another.send(remove(path)));
  await eventually('it is told', () => told === 1);
});

test('a listener that leaves before its watch is set leaves nothing behind', async () => {
  const { one, path } = await open();
  const listener = (): void => expect.unreachable();
  const watching = one.watch(path, listener);
  one.unwatch(path, listener);
  await watching;
  await eventually('no watch is left', async () => (await watchers(path)) === 0);
});

test('no change between two watches of a path is missed, and none is told to who has left', async () => {
  const { one, another, path } = await open();
  let left = 0;
  for (let round = 0; round < 300; round += 1) {
    let told = false;
    const leaving = (): void => void (left += 1);
    const staying = (): void => void (told = true);
    const first = one.watch(path, leaving);
    // At one time before, at another after the watch is set, and removed.
    if (round % 3 > 0) await first;
    const change = another.send(setData(path, Buffer.from(`${round}`)));
    if (round % 3 > 1) await change;
    const before = left;
    one.unwatch(path, leaving);
    const second = one.watch(path, staying);
    await Promise.all([first, second, change]);
    expect(left).toBe(before);
    if (!told) valueOf(await another.send(setData(path, Buffer.from('now'))));
    await eventually(`it is told in round ${round}`, () => told);
  }
});

test('beyond the limit watches are refused', async () => {
  const { one, path } = await open();
  const watches = new Watches((request) => one.send(request), 1);
  const listener = (): void => {};
  expect(await watches.watch('/', listener)).toBe('watching');
  expect(await watches.watch(path, listener)).toBe('refused');
  expect(await watches.watch('/', () => {})).toBe('watching');
  watches.unwatch('/', listener);
  expect(watches.size).toBe(1);
});

test('more watches than fit into one request are set again after a reconnect', async () => {
  const proxy = await ownProxy(server);
  const sessions = openSessions([proxy], { sessionTimeout: 10_000 });
  const [session, observer] = await Promise.all([
    sessions.ready(5_000),
    openSessions([server], { sessionTimeout: 10_000 }).ready(5_000),
  ]);
  const parent = await makeNode(observer, `${ownPath()}-${'long'.repeat(60)}`, 'persistent');
  // 1.3 MB of paths: a server closes the connection for a request over 1 MB.
  const paths = await Promise.all(
    Array.from({ length: 4_500 }, (_, index) => makeNode(observer, `${parent}/${index}`, 'ephemeral')),
  );
  const told = new Set<string>();
  await Promise.all(paths.map((path) => session.watch(path, () => told.add(path))));
  const [first, last] = [paths[0] ?? '', paths.at(-1) ?? ''];
  const refuse = proxy.refuse();
  await proxy.cut();
  await observer.send(setData(first, Buffer.from('changed')));
  refuse();
  expect(await sessions.ready(10_000)).toBe(session);
  await eventually('the change is told', () => told.has(first));
  expect(told.size).toBe(1);
  expect(await watchers(last)).toBe(1);
  valueOf(await observer.send(remove(last)));
  await eventually('the removal is told', () => told.has(last));
}, 60_000);

test('watches that the server does not take after a reconnect are set again over another connection', async () => {
  let refusals = 0;
  const setWatches = 101;
  const refusing = rewriteRepliesTo(setWatches, (reply) => {
    refusals += 1;
    return refusals === 1 ? withError(reply, -4) : reply.frame;
  });
  const proxy = await ownProxy(server, refusing);
  const observer = await openSession([server]);
  const path = await makeNode(observer, ownPath(), 'persistent');
  const session = await openSession([proxy]);
  let told = 0;
  await session.watch(path, () => (told += 1));
  await proxy.cut();
  await eventually('the watches were refused, and then not', () => refusals === 2 && session.connected);
  valueOf(await observer.send(setData(path, Buffer.from('news'))));
  await eventually('it is told', () => told === 1);
});

test.each(transports)('over $over a session that is told something all the time is kept', async ({ sessions }) => {
  const observer = await openSession([server]);
  const session = await sessions([server], { sessionTimeout: 2_000 }).ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  const watched = await makeNode(observer, ownPath(), 'persistent');
  const until = performance.now() + 5_000;
  await eventually('it was told for longer than its timeout', async () => {
    await session.watch(watched, () => {});
    valueOf(await observer.send(setData(watched, Buffer.from('news'))));
    return performance.now() > until;
  });
  expect(session.alive).toBe(true);
  expect(await isThere(observer, path)).toBe(true);
});
