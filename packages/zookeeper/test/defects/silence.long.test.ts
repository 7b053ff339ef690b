import { eventually, startProxy, startZookeeper, type ServerHandle } from '@locks/test-servers';
import { systemRuntime } from '@locks/core/adapter';
import { CreateMode } from 'node-zookeeper-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setData } from '../../src/wire/requests.ts';
import { believesConnected, called, connectOld, openOld } from '../support/old-client.ts';
import { Opened, isThere, makeNode, ownPath, valueOf } from '../support/sessions.ts';

let server: ServerHandle;

beforeAll(async () => {
  server = await startZookeeper({ tickTime: 500, minSessionTimeout: 1_000 });
});
afterAll(() => server.stop());

test('row 1: the network falls silent', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);

  using old = await connectOld([proxy], { sessionTimeout: 2_000 });
  const oldPath = await called<string>((callback) => old.client.create(ownPath(), CreateMode.EPHEMERAL, callback));
  const sessions = opened.sessions([proxy], { sessionTimeout: 2_000, closeWithin: 100 });
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  let oldAnswered = false;
  let removedFirst: boolean | undefined;
  await observer.watch(path, () => (removedFirst = !session.lost.aborted));

  proxy.silence();
  old.client.exists('/', () => (oldAnswered = true));
  await eventually(
    'both sessions are over',
    async () => !(await isThere(observer, oldPath)) && removedFirst !== undefined,
  );
  // It holds nothing any more, and does not know.
  expect(old.state).toBe(believesConnected);
  expect(oldAnswered).toBe(false);

  expect(removedFirst).toBe(false);
  expect(sessions.state).toBe('lost');
});

test('row 2: a client that is told something all the time', async () => {
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);
  using old = await connectOld([server], { sessionTimeout: 1_500 });
  const oldPath = await called<string>((callback) => old.client.create(ownPath(), CreateMode.EPHEMERAL, callback));
  const session = await opened.sessions([server], { sessionTimeout: 4_000 }).ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  const watched = await Promise.all(Array.from({ length: 60 }, () => makeNode(observer, ownPath(), 'persistent')));
  await Promise.all(
    watched.flatMap((one) => [
      called((callback) => old.client.getData(one, () => {}, callback)),
      session.watch(one, () => {}),
    ]),
  );
  for (const one of watched) {
    valueOf(await observer.send(setData(one, Buffer.from('news'))));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // The news took the place of its pings.
  expect(await isThere(observer, oldPath)).toBe(false);

  // As long as that is, it is longer than its timeout.
  expect(session.alive).toBe(true);
  expect(await isThere(observer, path)).toBe(true);
});

test('row 3: the first server accepts connections and says nothing', async () => {
  await using silent = await startProxy(server);
  await using opened = new Opened();
  silent.silence();
  using old = openOld([silent, server]);
  old.client.connect();
  const sessions = opened.sessions([silent, server], { runtime: { ...systemRuntime, random: () => 0 } });
  await sessions.ready(5_000);
  await eventually('the old client is where the new one was', () => silent.clientConnections > 0);
  const since = performance.now();
  await eventually('three times the timeout is over', () => performance.now() - since > 9_000);
  expect(old.connects).toBe(0);
  expect(sessions.state).toBe('connected');
});
