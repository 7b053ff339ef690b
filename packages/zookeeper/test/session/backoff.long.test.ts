import { isLockError } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import { expect, test } from 'vitest';
import { getData } from '../../src/wire/requests.ts';
import { startFakeServer } from '../support/fake-server.ts';
import type { FakeClient } from '../support/fake-server.ts';
import { Opened } from '../support/sessions.ts';
import { ownServer } from '../support/servers.ts';

const server = await ownServer({ tickTime: 500 });

/** With pauses that grow to half a second, half of them jitter: some 11 attempts in 3 s. */
const most = 20;

test('a server that refuses what a session begins with is asked less and less often', async () => {
  await using opened = new Opened();
  let attempts = 0;
  const sessions = opened.sessions([server], {
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

test.each([1, 2, 40])('a server that grants sessions of %s ms is asked less and less often', async (timeout) => {
  await using fake = await startFakeServer();
  await using opened = new Opened();
  const sessions = opened.sessions([fake.address], { closeWithin: 10 });
  let accepted = 0;
  const answer = (client: FakeClient): void => {
    client.socket.once('data', (chunk: Buffer) => {
      if (chunk.equals(Buffer.from('srvr'))) {
        client.socket.end('Mode: standalone\n');
        return;
      }
      accepted += 1;
      void client.accept({ timeout });
    });
  };
  const serve = async (): Promise<never> => {
    for (;;) answer(await fake.client());
  };
  void serve();
  const error = await sessions.ready(3_000).catch((cause: unknown) => cause);
  expect(isLockError(error, 'LOCK_UNAVAILABLE')).toBe(true);
  expect(String((error as Error).cause)).toContain(`sessions of ${timeout} ms`);
  expect(accepted).toBeGreaterThan(3);
  expect(accepted).toBeLessThan(most);
});
