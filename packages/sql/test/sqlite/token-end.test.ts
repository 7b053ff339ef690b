import type { Claim } from '@locks/core';
import { expect, test } from 'vitest';
import { ownFile, party } from './support/own.ts';

test.each(['exclusive', 'shared'] as const)(
  'tokens end at 2^53 with a refusal that names the key: %s',
  async (mode) => {
    const { provider } = await party(ownFile());
    const last: Claim = { key: 'job', owner: 'a/1', ttl: 60_000, mode, floor: 2n ** 53n - 1n };
    expect(await provider.tryAcquire(last)).toEqual({ granted: true, token: 2n ** 53n });
    expect(await provider.tryAcquire(last), 'repeated').toMatchObject({ granted: true, token: 2n ** 53n });
    expect(await provider.release(last)).toBe(true);
    const next: Claim = { key: 'job', owner: 'b/1', ttl: 60_000, mode };
    for (const wake of [undefined, () => {}, undefined]) {
      await expect(provider.tryAcquire(next, wake)).rejects.toMatchObject({
        code: 'LOCK_INVALID',
        message: expect.stringContaining('The tokens of "job" have reached 2^53') as string,
      });
    }
    expect(await provider.inspect('job')).toEqual({ key: 'job', holders: [], waiters: 0 });
  },
);
