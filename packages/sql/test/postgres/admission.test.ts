import { randomUUID } from 'node:crypto';
import type { Claim } from '@locks/core';
import { afterAll, describe, expect, test } from 'vitest';
import { connect, createTables, startServer } from './support/database.ts';
import { blockRow, join, untilBlocked } from './support/party.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

function claim(key: string, owner: string, more: Partial<Claim> = {}): Claim {
  return { key, owner: `${owner}/${randomUUID()}`, ttl: 20_000, mode: 'exclusive', ...more };
}

/** `first` does something in a transaction, `second` runs into its row, then `first` commits. */
async function interleave<T>(first: string, values: readonly unknown[], second: () => Promise<T>): Promise<T> {
  const client = await connect(url);
  await client.query('BEGIN');
  await client.query(first, [...values]);
  const answer = second();
  await untilBlocked(url);
  await client.query('COMMIT');
  return await answer;
}

describe('an upsert that looks into a second table', () => {
  // What decides is not in the row that it waits for: it is seen as it was before the wait.
  const naive = `INSERT INTO naive AS n (key, owner, held_until) VALUES ($1, $2, clock_timestamp() + interval '20 s')
    ON CONFLICT (key) DO UPDATE SET owner = $2, held_until = clock_timestamp() + interval '20 s'
    WHERE (n.held_until IS NULL OR n.held_until <= clock_timestamp())
      AND NOT EXISTS (SELECT FROM naive_shares AS s WHERE s.key = n.key AND s.expires > clock_timestamp())
    RETURNING owner`;

  test('makes two holders of one key', async () => {
    const [key, owner] = ['job', 'exclusive/1'];
    const other = await connect(url);
    await other.query('CREATE TABLE naive (key text PRIMARY KEY, owner text, held_until timestamptz)');
    await other.query('CREATE TABLE naive_shares (key text, owner text, expires timestamptz)');
    await other.query('INSERT INTO naive VALUES ($1)', [key]);
    const share = `WITH locked AS MATERIALIZED (SELECT n.key FROM naive AS n WHERE n.key = $1 AND n.held_until IS NULL FOR UPDATE)
      INSERT INTO naive_shares SELECT key, 'shared/1', clock_timestamp() + interval '20 s' FROM locked`;
    const { rowCount } = await interleave(share, [key], () => other.query(naive, [key, owner]));
    expect(rowCount).toBe(1);
    const { rows } = await other.query(
      `SELECT owner FROM naive WHERE held_until > clock_timestamp()
        UNION ALL SELECT owner FROM naive_shares WHERE expires > clock_timestamp()`,
    );
    expect(rows).toEqual([{ owner }, { owner: 'shared/1' }]);
    // Asked once more, it would have refused.
    expect((await other.query(naive, [key, 'exclusive/2'])).rowCount).toBe(0);
  });
});

describe('the statements of this package', () => {
  const routine = `SELECT token FROM locks_acquire($1, $2, 20000, 0, $3, true, $4, 'elsewhere', 20000, '{}', 5000)`;
  const exclusive = (key: string): readonly unknown[] => [Buffer.from(key), `first/${randomUUID()}`, null, false];
  const shared = (key: string): readonly unknown[] => [Buffer.from(key), `first/${randomUUID()}`, 1, false];
  const inLine = (key: string): readonly unknown[] => [Buffer.from(key), `first/${randomUUID()}`, null, true];

  test.each([
    ['a sharer', 'an exclusive claim', shared, 'exclusive'],
    ['a sharer', 'one sharer too many', shared, 'shared'],
    ['a holder', 'an exclusive claim', exclusive, 'exclusive'],
    ['a holder', 'a shared claim', exclusive, 'shared'],
  ] as const)(
    'see %s that came while they waited for the row: %s is refused',
    async (_first, _second, values, mode) => {
      const key = randomUUID();
      const { provider } = join(url);
      const warm = claim(key, 'warm');
      await provider.tryAcquire(warm);
      await provider.release(warm);
      const second = claim(key, 'second', mode === 'shared' ? { mode, permits: 1 } : {});
      const answer = await interleave(routine, values(key), () => provider.tryAcquire(second));
      expect(answer.granted).toBe(false);
      expect((await provider.inspect(key)).holders).toHaveLength(1);
    },
  );

  test('see a line that began while they waited for the row, though the key is free', async () => {
    const key = randomUUID();
    const { provider } = join(url);
    const holder = claim(key, 'holder');
    await provider.tryAcquire(holder);
    const second = claim(key, 'second');
    const client = await connect(url);
    await client.query('BEGIN');
    await client.query(routine, [...inLine(key)]);
    await client.query('SELECT freed FROM locks_release($1, $2, $3, 5000)', [
      Buffer.from(key),
      holder.owner,
      'elsewhere',
    ]);
    const answer = provider.tryAcquire(second);
    await untilBlocked(url);
    await client.query('COMMIT');
    expect((await answer).granted).toBe(false);
    expect(await provider.inspect(key)).toMatchObject({ holders: [], waiters: 1 });
  });

  test.each([
    ['exclusive', {}],
    ['shared', { mode: 'shared', permits: 2 }],
  ] as const)('count the ttl of an %s claim from after the wait', async (_mode, more) => {
    const key = randomUUID();
    const { provider } = join(url);
    const warm = claim(key, 'warm');
    await provider.tryAcquire(warm);
    await provider.release(warm);
    const free = await blockRow(url, key);
    const second = claim(key, 'second', { ...more, ttl: 10_000 });
    const answer = provider.tryAcquire(second);
    await untilBlocked(url, 1, 1_500);
    await free();
    expect((await answer).granted).toBe(true);
    const [holder] = (await provider.inspect(key)).holders;
    expect(holder?.remaining).toBeGreaterThan(9_000);
    expect(holder?.remaining).toBeLessThanOrEqual(10_000);
  });

  test('see that a hold has lapsed while they waited for the row', async () => {
    const key = randomUUID();
    const { provider } = join(url);
    const first = claim(key, 'first', { ttl: 1_000 });
    await provider.tryAcquire(first);
    const free = await blockRow(url, key);
    const answer = provider.tryAcquire(claim(key, 'second'));
    await untilBlocked(url, 1, 1_200);
    await free();
    expect((await answer).granted).toBe(true);
    expect(await provider.renew(first)).toBe(false);
  });
});
