import type { LockProvider } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { Pool } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSqlProvider, fromConfig } from '../../src/index.ts';
import { serverOfFile } from './support/database.ts';
import { ownTables } from '../servers/sessions.ts';
import { startFront } from '../support/front.ts';

const server = await serverOfFile();

const readyForQuery = Buffer.from('5a0000000549', 'hex');

/** What Postgres sends to a session that an operator ends. */
function terminated(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** In front of Postgres: ends the first `count` sessions in the packet that makes them ready. */
function endingAtOnce(url: string, count: number): Promise<string> {
  let ended = 0;
  return startFront(url, (client, upstream) => {
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      const ends = bytes.subarray(-readyForQuery.length).equals(readyForQuery) && ended < count;
      if (!ends) return void client.write(bytes);
      ended += 1;
      upstream.destroy();
      client.end(Buffer.concat([bytes, terminated()]));
    });
  });
}

const forms: Readonly<Record<string, (url: string) => LockProvider | Promise<LockProvider>>> = {
  'a pool of the caller'(url) {
    const pool = new Pool({ connectionString: url, max: 4 });
    pool.on('error', () => {});
    onTestFinished(() => pool.end());
    return createSqlProvider(pool);
  },
  'a URL': (url) =>
    vi.waitFor(() => fromConfig({ url, options: {}, runtime: systemRuntime }), { timeout: 10_000, interval: 10 }),
};

// An error without a listener would end the process, and the run of the tests.
test.each(Object.entries(forms))('%s: a session that ends when it is ready', async (_, open) => {
  const url = await ownTables(server);
  const provider = await open(await endingAtOnce(url, 3));
  onTestFinished(() => provider.close());
  const claim = { key: 'job', owner: 'me/1', ttl: 30_000, mode: 'exclusive' } as const;
  await expect.poll(() => provider.tryAcquire(claim).catch((error: unknown) => error)).toMatchObject({ granted: true });
  expect(await provider.release(claim)).toBe(true);
});
