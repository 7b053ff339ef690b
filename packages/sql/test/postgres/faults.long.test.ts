import type { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { rowOf, testDeadlines } from '../servers/deadlines.ts';
import { withClient, serverOfFile } from './support/database.ts';
import { blockRow, join, untilBlocked } from '../servers/parties.ts';

const { url } = await serverOfFile();

describe('after its deadline no call takes effect', () => {
  const timeout = 800;

  test('and no look goes on, which no row can keep waiting', async () => {
    const { provider } = join(url, { timeout });
    await provider.inspect('any');
    await withClient(url, async (client) => {
      await client.query('BEGIN; LOCK TABLE locks');
      await expect(provider.inspect('any')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      await untilBlocked(url, 0);
      await client.query('COMMIT');
    });
    expect((await provider.inspect('any')).holders).toEqual([]);
  });

  test.each(['200ms', '60s'])('whatever the statement_timeout of the connection is: %s', async (own) => {
    const afterCreate = (connection: Client, done: (error: Error | null) => void): void =>
      connection.query(`SET statement_timeout = '${own}'`, done);
    const { provider } = join(url, { timeout, pool: { min: 0, max: 1, afterCreate } });
    const claim = { key: `late after ${own}`, owner: 'late/1', ttl: 60_000, mode: 'exclusive' } as const;
    await provider.tryAcquire(claim);
    await provider.release(claim);
    const before = await rowOf(url, claim.key);
    const free = await blockRow(url, claim.key);
    await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await untilBlocked(url, 0);
    await free();
    expect(await rowOf(url, claim.key)).toEqual(before);
    expect((await provider.tryAcquire(claim)).granted).toBe(true);
    expect(await provider.release(claim)).toBe(true);
  });
});

testDeadlines(url);
