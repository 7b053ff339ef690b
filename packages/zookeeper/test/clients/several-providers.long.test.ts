import { createLocks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { eventually, untilAnswered } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import type { Insides } from '../../src/clients/node-zookeeper-client/insides.ts';
import { clientTransport } from '../../src/clients/node-zookeeper-client/client-transport.ts';
import { createZookeeperProvider } from '../../src/index.ts';
import { exists } from '../../src/wire/requests.ts';
import { called, connectClient } from '../support/client-sessions.ts';
import { makeNode, openSession, openSessions, ownPath, ownProxy } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 200, maxSessionTimeout: 60_000 });

test('providers over one client end in any order, and take nothing from each other', async () => {
  const proxy = await ownProxy(server);
  const client = await connectClient(proxy.port, 2_000);
  const { connectionManager: insides } = client as never as { connectionManager: Insides };
  // As a tool for monitoring wraps it.
  const own = insides.onSocketData;
  let seen = 0;
  const wrapper = function (this: Insides, bytes: Buffer): void {
    seen += 1;
    own.call(this, bytes);
  };
  insides.onSocketData = wrapper;
  const providers = [1, 2, 3].map(() => createZookeeperProvider({ client, acl: 'open', root: ownPath() }));
  onTestFinished(async () => void (await Promise.all(providers.map((provider) => provider.close()))));
  const held = await Promise.all(providers.map((provider) => createLocks(provider).acquire('a')));
  const [first, middle, last] = held;
  const session = client.getSessionId().toString('hex');
  // What the connections before it have proved is over when the session is cut the next time.
  await proxy.cut();
  await eventually('all are connected again', () => client.getState().name === 'SYNC_CONNECTED');
  const since = performance.now();
  await eventually('the session timeout has passed', () => performance.now() - since > 2_200);
  // The order is not that of a stack.
  await providers[2]?.close();
  await providers[0]?.close();
  await proxy.cut();
  await eventually('it has found a new connection', async () => {
    await middle!.renew().catch(() => {});
    return client.getState().name === 'SYNC_CONNECTED' && middle!.remaining > 1_500;
  });
  expect(middle?.held).toBe(true);
  expect(client.getSessionId().toString('hex')).toBe(session);
  expect([first?.held, last?.held]).toEqual([false, false]);
  const before = seen;
  await providers[1]?.close();
  expect(insides.onSocketData).toBe(wrapper);
  for (const name of ['connect', 'onSocketConnected']) expect(Object.hasOwn(insides, name)).toBe(false);
  await called((callback) => client.exists('/', callback));
  expect(seen).toBeGreaterThan(before);
});

test('what another library has wrapped around a provider is left, and works', async () => {
  const client = await connectClient(server.port, 3_000);
  const { connectionManager: insides } = client as never as { connectionManager: Insides };
  const provider = createZookeeperProvider({ client, acl: 'open', root: ownPath() });
  await provider.connect(5_000);
  const inner = insides.onSocketData;
  const wrapper = function (this: Insides, bytes: Buffer): void {
    inner.call(this, bytes);
  };
  insides.onSocketData = wrapper;
  await provider.close();
  expect(insides.onSocketData).toBe(wrapper);
  await called((callback) => client.exists('/', callback));
  const next = createZookeeperProvider({ client, acl: 'open', root: ownPath() });
  expect((await createLocks(next).acquire('a')).held).toBe(true);
  await next.close();
  await called((callback) => client.exists('/', callback));
});

test('together they watch no more than the client can set again in one request', async () => {
  const proxy = await ownProxy(server);
  const observer = await openSession([server], { sessionTimeout: 20_000 });
  const client = await connectClient(proxy.port, 6_000);
  const managers = [1, 2, 3].map(() => openSessions([], { transport: clientTransport(client, systemRuntime) }));
  const sessions = await Promise.all(managers.map((manager) => manager.ready(10_000)));
  const watched = await Promise.all(
    sessions.map(async (session) => {
      const parent = await makeNode(observer, `${ownPath()}-${'long'.repeat(60)}`, 'persistent');
      const indexes = Array.from({ length: 2_000 }, (_, index) => index);
      const paths = await Promise.all(indexes.map((index) => makeNode(observer, `${parent}/${index}`, 'persistent')));
      return await Promise.all(paths.map((path) => session.watch(path, () => {})));
    }),
  );
  expect(watched.flat().filter((state) => state === 'watching').length).toBeGreaterThan(1_000);
  await proxy.cut();
  await eventually('it is connected again', () => client.getState().name === 'SYNC_CONNECTED');
  for (const session of sessions) await untilAnswered('it answers again', () => session.send(exists('/')));
});
