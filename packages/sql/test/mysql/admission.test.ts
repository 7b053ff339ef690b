import { randomUUID } from 'node:crypto';
import type { Claim } from '@locks/core';
import { afterAll, describe, expect, test } from 'vitest';
import { connect, createTables, rowsOf, startServer } from './support/database.ts';
import { blockRow, join, untilBlocked } from './support/party.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

function claim(key: string, owner: string, more: Partial<Claim> = {}): Claim {
  return { key, owner: `${owner}/${randomUUID()}`, ttl: 20_000, mode: 'exclusive', ...more };
}

/** Somebody does `first` in a transaction, `second` runs into its row, then the transaction is committed. */
async function interleave<T>(key: string, first: readonly string[], second: () => Promise<T>): Promise<T> {
  const client = await connect(url);
  await client.beginTransaction();
  for (const statement of first) {
    await client.query(statement.replaceAll('{key}', client.escape(key)).replaceAll('{soon}', soon));
  }
  const answer = second();
  await untilBlocked(url);
  await client.commit();
  return await answer;
}

/** In twenty seconds, as the tables have it. */
const soon = 'CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 + 20000000 AS SIGNED)';

describe('an update that looks into a second table', () => {
  // A copy of that table as it was: read before the wait, as every plain read of a transaction is.
  test('makes two holders of one key', async () => {
    const other = await connect(url);
    await other.query('CREATE TABLE naive (id INT PRIMARY KEY, owner VARCHAR(20))');
    await other.query('CREATE TABLE naive_shares (id INT, owner VARCHAR(20))');
    await other.query('INSERT INTO naive VALUES (1, NULL)');
    const first = await connect(url);
    await first.beginTransaction();
    await first.query('SELECT * FROM naive WHERE id = 1 FOR UPDATE');
    await first.query("INSERT INTO naive_shares VALUES (1, 'shared/1')");
    await other.beginTransaction();
    await other.query('SELECT count(*) FROM naive_shares');
    const locked = other.query('SELECT owner FROM naive WHERE id = 1 FOR UPDATE');
    await untilBlocked(url);
    await first.commit();
    await locked;
    // Nobody shares, as far as this transaction sees.
    await other.query(
      "UPDATE naive SET owner = 'exclusive/1' WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM (SELECT count(*) AS c FROM naive_shares) AS s WHERE s.c > 0)",
    );
    await other.commit();
    expect(await rowsOf(other, 'SELECT owner FROM naive UNION ALL SELECT owner FROM naive_shares')).toHaveLength(2);
  });
});

describe('the statements of this package', () => {
  // What the procedure does, in a transaction that somebody holds up.
  const shared = [
    'UPDATE locks SET shares = 1, permits = 1, held_until = {soon} WHERE `key` = {key}',
    "INSERT INTO locks_shares VALUES ({key}, 'first/1', 1, {soon})",
  ];
  const exclusive = [
    "UPDATE locks SET owner = 'first/1', version = version + 1, held_until = {soon} WHERE `key` = {key}",
  ];
  const inLine = [
    "INSERT INTO locks_line VALUES ({key}, 1, 'first/1', 'elsewhere', NULL, {soon})",
    "UPDATE locks SET owner = NULL, held_until = NULL, head_process = 'elsewhere', head_owner = 'first/1', head_until = {soon}, line_until = {soon}, next_lapse = {soon}, next_place = 2 WHERE `key` = {key}",
  ];

  test.each([
    ['a sharer', 'an exclusive claim', shared, 'exclusive'],
    ['a sharer', 'one sharer too many', shared, 'shared'],
    ['a holder', 'an exclusive claim', exclusive, 'exclusive'],
    ['a holder', 'a shared claim', exclusive, 'shared'],
  ] as const)('see %s that came while they waited for the row: %s is refused', async (_first, _second, first, mode) => {
    const key = randomUUID();
    const { provider } = join(url);
    const warm = claim(key, 'warm');
    await provider.tryAcquire(warm);
    await provider.release(warm);
    const second = claim(key, 'second', mode === 'shared' ? { mode, permits: 1 } : {});
    const answer = await interleave(key, first, () => provider.tryAcquire(second));
    expect(answer.granted).toBe(false);
    expect((await provider.inspect(key)).holders).toHaveLength(1);
  });

  test('see a line that began while they waited for the row, though the key is free', async () => {
    const key = randomUUID();
    const { provider } = join(url);
    const holder = claim(key, 'holder');
    await provider.tryAcquire(holder);
    const second = claim(key, 'second');
    const answer = await interleave(key, inLine, () => provider.tryAcquire(second));
    expect(answer.granted).toBe(false);
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
