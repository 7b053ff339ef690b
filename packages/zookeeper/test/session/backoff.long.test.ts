import { LockError } from '@locks/core/adapter';
import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { getData } from '../../src/wire/requests.ts';
import { clientSessions } from '../support/client-sessions.ts';
import { serve, startFakeServer } from '../support/fake-server.ts';
import type { FakeClient } from '../support/fake-server.ts';
import { ownServer } from '../support/servers.ts';
import { openSessions } from '../support/sessions.ts';

const server = await ownServer({ tickTime: 500 });

/** With pauses that grow to half a second, half of them jitter: some 11 attempts in 3 s. */
const most = 25;

test('a server that refuses what a session begins with is asked less and less often', async () => {
  let attempts = 0;
  const sessions = openSessions([server], {
    async prepare(session) {
      attempts += 1;
      // Heartbeats that went out before it are answered.
      await session.send(getData('/'));
      throw new LockError('LOCK_UNAVAILABLE', 'ZooKeeper answered THROTTLED.');
    },
  });
  const error = await sessions.ready(3_000).catch((cause: unknown) => cause);
  expect(attempts).toBeGreaterThan(3);
  expect(attempts).toBeLessThan(most);
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', sent: false, cause: { code: 'LOCK_UNAVAILABLE' } });
});

const acceptAndClose = (client: FakeClient): void => void client.accept().then(() => client.socket.end());

test.each<readonly [string, (client: FakeClient) => unknown, string]>([
  ['closes every connection', ({ socket }) => socket.end(), ''],
  ['begins a session and closes the connection', acceptAndClose, 'the connection ended'],
  ['grants sessions of 1 ms', (client) => client.accept({ timeout: 1 }), 'sessions of 1 ms'],
  ['grants sessions of 2 ms', (client) => client.accept({ timeout: 2 }), 'sessions of 2 ms'],
  ['grants sessions of 40 ms', (client) => client.accept({ timeout: 40 }), 'sessions of 40 ms'],
])('a server that %s is asked less and less often', async (_, begin, cause) => {
  await using fake = await startFakeServer();
  const count = serve(fake, begin);
  const sessions = openSessions([fake.address], { closeWithin: 10 });
  const error: unknown = await sessions.ready(3_000).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(String((error as Error).cause)).toContain(cause);
  // 100 without pauses.
  expect(count.begun).toBeGreaterThan(2);
  expect(count.begun).toBeLessThan(most);
});

test('so it is over node-zookeeper-client', async () => {
  await using fake = await startFakeServer();
  const count = serve(fake, acceptAndClose);
  const sessions = clientSessions([fake.address], { closeWithin: 10 });
  await sessions.ready(1_000).catch(() => {});
  const since = performance.now();
  const before = count.begun;
  await eventually('two seconds are over', () => performance.now() - since > 2_000);
  expect(count.begun - before).toBeLessThan(most);
});
