import { createLocks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { expect, onTestFinished, test } from 'vitest';
import { fromConfig } from '../../src/index.ts';
import { rowsOf, withClient, serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { startFront } from '../support/front.ts';

const server = await serverOfFile();

/** The URL of `url` through a front, and how often a client has waited for an answer there. */
async function counted(url: string): Promise<{ readonly url: string; readonly trips: () => number }> {
  let trips = 0;
  const front = await startFront(url, (client, upstream) => {
    // The server speaks first.
    let answered = true;
    client.on('data', (data) => {
      if (answered) trips += 1;
      answered = false;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      answered = true;
      client.write(data);
    });
  });
  return { url: front, trips: () => trips };
}

test('a new connection costs five round trips with its first call', async () => {
  const url = await ownTables(server);
  const proxy = await counted(url);
  const provider = await fromConfig({ url: proxy.url, options: { pool: 1 }, runtime: systemRuntime });
  const locks = createLocks(provider, { closeProvider: true });
  onTestFinished(() => locks.close());
  await (await locks.acquire('job')).release();
  await withClient(url, async (client) => {
    const others = await rowsOf(
      client,
      'SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND db = DATABASE()',
    );
    for (const { id } of others) await client.query(`KILL ${Number(id)}`);
  });
  const before = proxy.trips();
  const lease = await locks.acquire('job');
  // The login, the settings, the check, and a statement that is prepared and then sent.
  expect(proxy.trips() - before).toBe(5);
  await lease.release();
});
