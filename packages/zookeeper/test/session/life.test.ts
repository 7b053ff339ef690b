import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { eventually } from '@locks/test-servers';
import { LockError } from '@locks/core/adapter';
import { expect, test } from 'vitest';
import type { SessionMessage } from '../../src/session/session-channel.ts';
import { exists } from '../../src/wire/requests.ts';
import { isThere, makeNode, openSession, openSessions, ownPath, ownProxy, valueOf } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500, minSessionTimeout: 1_000, maxSessionTimeout: 5_000 });

test('the timeout is the one that the server grants', async () => {
  expect((await openSession([server], { sessionTimeout: 60_000 })).timeout).toBe(5_000);
  expect((await openSession([server], { sessionTimeout: 500 })).timeout).toBe(1_000);
});

test('every connection is prepared before it can be used', async () => {
  const proxy = await ownProxy(server);
  const calls: boolean[] = [];
  const sessions = openSessions([proxy], {
    async prepare(session, first) {
      valueOf(await session.send(exists('/')));
      expect(sessions.state).not.toBe('connected');
      calls.push(first);
    },
  });
  const session = await sessions.ready(5_000);
  expect(calls).toEqual([true]);
  await proxy.cut();
  await eventually('it is prepared again', () => calls.length === 2 && session.connected);
  expect(calls).toEqual([true, false]);
});

test('a preparation that fails is done again over the next connection', async () => {
  const calls: boolean[] = [];
  const sessions = openSessions([server], {
    async prepare(_, first) {
      calls.push(first);
      if (calls.length < 3) throw new LockError('LOCK_UNAVAILABLE', 'not yet');
    },
  });
  await sessions.ready(5_000);
  expect(calls).toEqual([true, true, true]);
});

test('a preparation that is not answered does not last for ever', async () => {
  let calls = 0;
  const sessions = openSessions([server], {
    sessionTimeout: 1_500,
    prepare: () => {
      calls += 1;
      return calls === 1 ? new Promise(() => {}) : Promise.resolve();
    },
  });
  await sessions.ready(5_000);
  expect(calls).toBe(2);
});

test('a preparation that finds the configuration wrong refuses those who wait, and leaves no session', async () => {
  const proxy = await ownProxy(server);
  const sessions = openSessions([proxy], {
    prepare: () => Promise.reject(new LockError('LOCK_MISCONFIGURED', 'no permission')),
  });
  await expect(sessions.ready(5_000)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED', message: 'no permission' });
  await eventually('there is no connection left', () => proxy.clientConnections === 0);
  expect(sessions.current).toBeUndefined();
});

test('close() while it connects, while it is suspended, and twice', async () => {
  const proxy = await ownProxy(server);
  proxy.silence();
  const connecting = openSessions([proxy], { closeWithin: 200 });
  const refused = connecting.ready(5_000).catch((error: unknown) => error);
  const since = performance.now();
  expect(connecting.close()).toBe(connecting.close());
  await connecting.close();
  expect(await refused).toMatchObject({ code: 'LOCK_CLOSED' });
  expect(performance.now() - since).toBeLessThan(1_000);
  await proxy.pass();

  const observer = await openSession([server]);
  const suspended = openSessions([proxy], { sessionTimeout: 5_000 });
  const session = await suspended.ready(5_000);
  const path = await makeNode(session, ownPath(), 'ephemeral');
  const admit = proxy.refuse();
  await proxy.cut();
  await eventually('it is suspended', () => suspended.state === 'suspended');
  const closing = suspended.close();
  expect(session.lost.reason).toMatchObject({ code: 'LOCK_CLOSED' });
  admit();
  await closing;
  // Ended by a connection for the purpose.
  expect(await isThere(observer, path)).toBe(false);
  await eventually('there is no connection left', () => proxy.clientConnections === 0);
});

test('the states are published on locks:session, outside of the asynchronous context of the first who calls', async () => {
  const proxy = await ownProxy(server);
  const flow = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const messages: SessionMessage[] = [];
  const listen = (message: unknown): void => {
    if ((message as SessionMessage).provider !== 'this test') return;
    messages.push(message as SessionMessage);
    contexts.push(flow.getStore());
  };
  subscribe('locks:session', listen);
  const sessions = openSessions([proxy], { provider: 'this test' });
  const id = await flow.run('a caller', async () => {
    const session = await sessions.ready(5_000);
    await proxy.cut();
    await eventually('it is connected again', () => messages.length === 4);
    await sessions.close();
    return session.id;
  });
  unsubscribe('locks:session', listen);
  expect(messages.map(({ state }) => state)).toEqual([
    'connecting',
    'connected',
    'suspended',
    'connected',
    'lost',
    'closed',
  ]);
  expect(messages[1]?.session).toBe(`0x${BigInt.asUintN(64, id).toString(16)}`);
  expect(messages[2]?.reason).toBeInstanceOf(Error);
  expect(contexts).toEqual(Array.from({ length: 6 }, () => undefined));
});
