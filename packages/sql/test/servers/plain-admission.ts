import { randomUUID } from 'node:crypto';
import type { Claim } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { interleave } from './admission.ts';
import type { Step } from './admission.ts';
import type { Kind } from './kind.ts';
import { partiesOn } from './parties.ts';

/** What another client does to a row, in a transaction that ours runs into. */
export interface PlainSteps {
  /** Holds `key` as `owner` for a while. */
  hold(key: string, owner: string): readonly Step[];
  /** Frees `key`. */
  free(key: string): readonly Step[];
}

function claim(key: string, owner: string): Claim {
  return { key, owner: `${owner}/${randomUUID()}`, ttl: 20_000, mode: 'exclusive' };
}

/** What a write does that finds its row changed, in the database at `url`, which has the table. */
export function testPlainAdmission(kind: Kind, url: string, steps: PlainSteps): void {
  const { join } = partiesOn(kind);
  const plain = { routines: false };

  describe('a write that finds its row changed', () => {
    test('does nothing, if it is an acquire', async () => {
      const key = randomUUID();
      const { provider } = join(url, plain);
      const first = claim(key, 'first');
      await provider.tryAcquire(first);
      await provider.release(first);
      const answer = await interleave(kind, url, steps.hold(key, 'other'), () =>
        provider.tryAcquire(claim(key, 'second')),
      );
      expect(answer).toEqual({ granted: false });
      expect((await provider.inspect(key)).holders).toMatchObject([{ owner: 'other' }]);
    });

    test.each(['renew', 'release'] as const)('does nothing, if it is a %s', async (call) => {
      const key = randomUUID();
      const { provider } = join(url, plain);
      const first = claim(key, 'first');
      await provider.tryAcquire(first);
      const answer = await interleave(kind, url, steps.hold(key, 'other'), async () =>
        call === 'renew' ? await provider.renew(first) : await provider.release(first),
      );
      expect(answer).toBe(false);
      expect((await provider.inspect(key)).holders).toMatchObject([{ owner: 'other' }]);
    });

    test('gives no token twice, if the row was freed meanwhile', async () => {
      const key = randomUUID();
      const { provider } = join(url, plain);
      const first = claim(key, 'first');
      const granted = await provider.tryAcquire(first);
      const answer = await interleave(kind, url, steps.free(key), () => provider.tryAcquire(first));
      if (!granted.granted || !answer.granted) throw new Error('The key was free.');
      expect(answer.token).toBeGreaterThan(granted.token);
    });
  });
}
