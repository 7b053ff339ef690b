import { randomUUID } from 'node:crypto';
import type { Claim } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { interleave } from './admission.ts';
import type { Step } from './admission.ts';
import type { Kind } from './kind.ts';
import { partiesOn } from './parties.ts';

/** Claims on three keys that were never used. */
function wanted(): Claim[] {
  return ['a', 'b', 'c'].map((name) => {
    return { key: `${name}/${randomUUID()}`, owner: `several/${randomUUID()}`, ttl: 20_000, mode: 'exclusive' };
  });
}

function again(claims: readonly Claim[], owner: string): Claim[] {
  return claims.map((claim) => ({ ...claim, owner: `${owner}/${randomUUID()}` }));
}

/**
 * Several keys in one step, in the database at `url`, which has tables. `hold`: what a client does
 * that holds a key which was never used.
 */
export function testSeveralKeys(kind: Kind, url: string, hold: (key: string) => Step): void {
  const { join, blockRow } = partiesOn(kind);

  describe('several keys in one step', () => {
    test('are not waited for where another client is at the row of one', async () => {
      const { provider } = join(url);
      const claims = wanted();
      expect(await provider.tryAcquireAll?.(claims)).toHaveLength(3);
      for (const claim of claims) await provider.release(claim);
      const others = again(claims, 'again');
      const free = await blockRow(url, claims[1]!.key);
      expect(await provider.tryAcquireAll?.(others)).toBe(false);
      await free();
      expect(await provider.tryAcquireAll?.(others)).toHaveLength(3);
    });

    test('see a holder that came while they waited for the new row of one', async () => {
      const { provider } = join(url);
      const claims = wanted();
      const first = [hold(claims[1]!.key)];
      expect(await interleave(kind, url, first, async () => provider.tryAcquireAll?.(claims))).toBe(false);
      expect((await provider.inspect(claims[0]!.key)).holders).toEqual([]);
      expect((await provider.inspect(claims[1]!.key)).holders).toHaveLength(1);
    });

    test('never wait in a circle, and fail for no contention', async () => {
      const [one, two] = [join(url), join(url)];
      for (let round = 0; round < 50; round += 1) {
        const claims = wanted();
        const others = again(claims, 'other').toReversed();
        const answers = await Promise.all([
          one.provider.tryAcquireAll?.(claims),
          two.provider.tryAcquireAll?.(others),
          one.provider.tryAcquireAll?.(again(others.toSpliced(1, 1), 'third')),
        ]);
        expect(answers.filter((answer) => answer !== false).length).toBeLessThanOrEqual(1);
      }
    });

    test('are taken with the longest keys and owners, a hundred at once, with the token of each', async () => {
      const { provider } = join(url);
      const name = randomUUID();
      const claims = Array.from({ length: 100 }, (_, index): Claim => {
        const end = `,"'\\/${String(index).padStart(3, '0')}`;
        // The order of their UTF-16 units is not that of their bytes.
        const key = `${name}${(index % 2 === 0 ? '\u{1F512}' : '\uFFFD').repeat(110)}${end}`;
        return { key, owner: `${end}/${name}`.padEnd(250, '-'), ttl: 20_000, mode: 'exclusive' };
      });
      const grants = await provider.tryAcquireAll?.(claims);
      if (grants === false || grants === undefined) throw new Error('The keys were free.');
      expect(grants).toHaveLength(100);
      for (const [index, claim] of claims.entries()) {
        const { holders } = await provider.inspect(claim.key);
        expect(holders).toMatchObject([{ owner: claim.owner, token: grants[index]!.token }]);
      }
      expect(await provider.tryAcquireAll?.(again(claims.slice(-2), 'again'))).toBe(false);
      expect(await provider.tryAcquireAll?.(claims)).toEqual(grants);
      await Promise.all(claims.map(async (claim) => expect(await provider.release(claim)).toBe(true)));
    });
  });
}
