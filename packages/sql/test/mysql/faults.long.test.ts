import { eventually } from '@locks/test-servers';
import { describe, expect, test } from 'vitest';
import { withClient, serverOfFile } from './support/database.ts';
import { blockRow, join, openTransactions, untilBlocked } from '../servers/parties.ts';

const { url } = await serverOfFile();

describe('a statement that is ended while it waits for the row', () => {
  test.each([
    [
      'by KILL QUERY',
      async (): Promise<void> => {
        for (const id of await untilBlocked(url)) await withClient(url, (client) => client.query(`KILL QUERY ${id}`));
      },
    ],
    ['by the limit of its session', async (): Promise<void> => {}],
  ])('%s, in the procedure: it is unknown, and leaves no transaction open', async (_name, end) => {
    const { locks, provider, knex } = join(url, { pool: { min: 0, max: 1 }, defaults: { ttl: 6_000 } });
    const claim = { key: `ended ${_name}`, owner: 'ended/1', ttl: 6_000, mode: 'shared' } as const;
    await provider.tryAcquire(claim);
    await provider.release(claim);
    if (_name.includes('limit')) await knex.raw('SET SESSION max_statement_time = 1');
    const free = await blockRow(url, claim.key);
    const attempt = provider.tryAcquire(claim);
    attempt.catch(() => {});
    await end();
    await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await free();
    await eventually('no open transaction', async () => (await openTransactions(knex)).length === 0);
    const lease = await locks.acquire(claim.key, { wait: 5_000 });
    expect(await lease.release()).toBe(true);
  });
});
