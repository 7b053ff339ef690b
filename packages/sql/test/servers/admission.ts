import { randomUUID } from 'node:crypto';
import type { Claim } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { connect } from '../support/databases.ts';
import { blockRow, join, untilBlocked } from './parties.ts';

/** A statement and its values. */
export type Step = readonly [sql: string, values: readonly (string | Buffer)[]];

/** Stands first in the queue for `key`, which `holder` then releases. */
type Lead = (key: string, holder: string) => readonly Step[];

/**
 * A client does `first` in a transaction, `second` runs into its row, then the transaction is
 * committed.
 */
async function interleave<T>(url: string, first: readonly Step[], second: () => Promise<T>): Promise<T> {
  const transaction = await connect(url).transaction();
  for (const [sql, values] of first) await transaction.raw(sql, [...values]);
  const answer = second();
  await untilBlocked(url);
  await transaction.commit();
  return await answer;
}

function claim(key: string, owner: string, more: Partial<Claim> = {}): Claim {
  return { key, owner: `${owner}/${randomUUID()}`, ttl: 20_000, mode: 'exclusive', ...more };
}

/**
 * What the statements see that wait for a row, in the database at `url`, which has tables: a
 * transaction that another client runs into does `lead`.
 */
export function testAdmission(url: string, lead: Lead): void {
  describe('the statements of this package', () => {
    test('see a queue that began while they waited for the row, though the key is free', async () => {
      const key = randomUUID();
      const { provider } = join(url);
      const holder = claim(key, 'holder');
      await provider.tryAcquire(holder);
      const second = claim(key, 'second');
      const answer = await interleave(url, lead(key, holder.owner), () => provider.tryAcquire(second));
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
}
