import { eventually, startProxy, startZookeeper, type ServerHandle } from '@locks/test-servers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exists } from '../../src/wire/requests.ts';
import { believesConnected, called, connectOld, openOld } from '../support/old-client.ts';
import { Opened, isThere, makeNode, ownPath } from '../support/sessions.ts';

let server: ServerHandle;

beforeAll(async () => {
  server = await startZookeeper({ tickTime: 500, minSessionTimeout: 1_000 });
});
afterAll(() => server.stop());

test('rows 5, 6, 7: the session expires while there is no connection', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  const observer = await opened.sessions([server]).ready(5_000);
  using old = await connectOld([proxy], { sessionTimeout: 1_500 });
  const sessions = opened.sessions([proxy], { sessionTimeout: 1_500 });
  const session = await sessions.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  const watched = await makeNode(observer, ownPath(), 'persistent');
  const told: string[] = [];
  await called((callback) => old.client.getData(watched, () => told.push('old'), callback));
  await session.watch(watched, () => told.push('new'));
  let expired = false;
  old.client.once('expired', () => (expired = true));

  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('both have seen it', () => old.state === 'DISCONNECTED' && !session.connected);
  let oldAnswered = false;
  old.client.exists('/', () => (oldAnswered = true));
  await expect(session.send(exists('/'))).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  await eventually('the server has ended both', async () => !(await isThere(observer, path)));
  expect(session.lost.aborted).toBe(true);
  // Only a server can tell it.
  expect(expired).toBe(false);
  admit();
  await eventually('a server has told it', () => expired);
  await eventually('it does not try again', () => proxy.clientConnections === 0);
  expect(oldAnswered).toBe(false);
  expect(told).toEqual(['new']);
  expect(old.state).toBe('DISCONNECTED');

  const next = await sessions.ready(5_000);
  expect(next).not.toBe(session);
  expect(next.connected).toBe(true);
});

test('row 9: what a caller sees that is told of a lost connection', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  using old = await connectOld([proxy]);
  const session = await opened.sessions([proxy]).ready(5_000);
  let retries = 0;
  let connectedThen: boolean | undefined;
  const delay = proxy.delay(1_000);
  const retry = (): void => {
    if (old.state !== believesConnected || retries === 1_000) return;
    retries += 1;
    old.client.exists('/', retry);
  };
  old.client.exists('/', retry);
  const seen = session.send(exists('/')).catch(() => (connectedThen = session.connected));
  await proxy.cut();
  await seen;
  await eventually('the old client is disconnected', () => retries > 0);
  delay();
  // Without the limit it would go on for ever, in one tick.
  expect(retries).toBe(1_000);
  expect(connectedThen).toBe(false);
});

test('row 11: close() at any time', async () => {
  await using proxy = await startProxy(server);
  await using opened = new Opened();
  using old = openOld([proxy]);
  old.client.connect();
  expect(() => old.client.close()).toThrow(TypeError);

  const sessions = opened.sessions([proxy]);
  const refused = sessions.ready(5_000).catch((error: unknown) => error);
  await sessions.close();
  expect(await refused).toMatchObject({ code: 'LOCK_CLOSED' });
});
