import { isLockError } from '@locks/core';
import { expect, test } from 'vitest';
import { startFakeServer } from '../support/fake-server.ts';
import type { FakeClient, FakeServer } from '../support/fake-server.ts';
import { Opened } from '../support/sessions.ts';

/**
 * Begins a session on every connection and closes it at once. Answers the question for the mode
 * later.
 */
async function serve(server: FakeServer, accepted: () => void): Promise<never> {
  for (;;) answer(await server.client(), accepted);
}

function answer(client: FakeClient, accepted: () => void): void {
  client.socket.once('data', (chunk: Buffer) => {
    if (chunk.equals(Buffer.from('srvr'))) {
      setTimeout(() => client.socket.end('Mode: standalone\n'), 60);
      return;
    }
    accepted();
    void client.accept().then(() => client.socket.end());
  });
}

test('there are pauses between connections that a server accepts and closes before it was asked for its mode', async () => {
  await using server = await startFakeServer();
  await using opened = new Opened();
  const sessions = opened.sessions([server.address]);
  let count = 0;
  void serve(server, () => (count += 1));
  const error = await sessions.ready(3_000).catch((cause: unknown) => cause);
  expect(isLockError(error, 'LOCK_UNAVAILABLE')).toBe(true);
  // 100 without pauses; of these the first are short.
  expect(count).toBeGreaterThan(3);
  expect(count).toBeLessThan(25);
});
