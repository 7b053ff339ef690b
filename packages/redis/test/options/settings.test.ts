import type { LockProvider } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { claimOf, companions, modes, providerOf } from '../support/queue.ts';
import { connect, ownPrefix } from '../support/redis.ts';

describe('a service with shorter settings', () => {
  test.each(modes)('does not shorten the memory of tokens: %s', async (mode) => {
    const prefix = ownPrefix();
    const client = connect();
    const patient = providerOf(prefix, { tokenRetention: 86_400_000 });
    const hasty = providerOf(prefix, { tokenRetention: 1_000 });
    const left = (): Promise<number> => client.pttl(companions(prefix).token);
    const lock = async (provider: LockProvider, raise = false): Promise<bigint> => {
      const claim = claimOf({ mode, ttl: 10_000 });
      const grant = await provider.tryAcquire(claim);
      if (!grant.granted) throw new Error('The key was free.');
      if (raise) expect(await provider.renew(claim, grant.token + 1_000n)).toEqual({});
      const { holders } = await provider.inspect('job');
      expect(holders).toMatchObject([{ token: raise ? grant.token + 1_000n : grant.token }]);
      await provider.release(claim);
      return grant.token;
    };
    await lock(hasty);
    expect(await left()).toBeLessThanOrEqual(20_000);
    const before = await lock(patient);
    expect(await left()).toBeGreaterThan(86_000_000);
    for (const raise of [false, true, false]) {
      expect(await lock(hasty, raise)).toBeGreaterThan(before);
      expect(await left()).toBeGreaterThan(86_000_000);
    }
  });
});
