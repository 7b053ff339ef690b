import { describe, expect, test } from 'vitest';
import { connect } from '../support/databases.ts';
import { proxyTo } from '../support/front.ts';
import { blockRow, join, untilBlocked } from './parties.ts';

/** The row of `key` as it stands: what a call could have changed in it. */
export async function rowOf(url: string, key: string): Promise<unknown> {
  return await connect(url)('locks').where('key', Buffer.from(key)).first('version', 'owner', 'held_until', 'shares');
}

/** What a call does that takes too long, on a server with tables. */
export function testDeadlines(url: string): void {
  describe('after its deadline no call takes effect', () => {
    const timeout = 800;

    test.each(['acquire', 'acquire in the queue', 'renew', 'release', 'release of a share'] as const)(
      '%s, while another client has the row locked',
      async (call) => {
        const { provider } = join(url, { timeout });
        const mode = call === 'release of a share' ? 'shared' : 'exclusive';
        const claim = { key: `late ${call}`, owner: 'late/1', ttl: 60_000, mode } as const;
        await provider.tryAcquire(claim);
        if (call.startsWith('acquire')) await provider.release(claim);
        const before = await rowOf(url, claim.key);
        const free = await blockRow(url, claim.key);
        const started = performance.now();
        const calls = {
          acquire: () => provider.tryAcquire(claim),
          'acquire in the queue': () => provider.tryAcquire(claim, () => {}),
          renew: () => provider.renew(claim),
          release: () => provider.release(claim),
          'release of a share': () => provider.release(claim),
        };
        await expect(calls[call]()).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
        expect(performance.now() - started).toBeLessThan(timeout + 1_000);
        await untilBlocked(url, 0);
        await free();
        expect(await rowOf(url, claim.key)).toEqual(before);
      },
    );

    test('not even if the server cannot be told', async () => {
      const proxy = await proxyTo(url);
      const { provider } = join(proxy.url(url), { timeout });
      const claim = { key: 'late and silent', owner: 'late/1', ttl: 60_000, mode: 'exclusive' } as const;
      await provider.tryAcquire(claim);
      await provider.release(claim);
      const before = await rowOf(url, claim.key);
      const free = await blockRow(url, claim.key);
      const attempt = provider.tryAcquire(claim);
      attempt.catch(() => {});
      await untilBlocked(url);
      const audible = proxy.silence();
      await expect(attempt).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      await untilBlocked(url, 0);
      await free();
      expect(await rowOf(url, claim.key)).toEqual(before);
      await audible();
    });
  });
}
