import type { LockProvider } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { claimOf, companions, enqueue, modes, providerOf } from '../support/queue.ts';
import { connect, eventually, ownPrefix } from '../support/redis.ts';

describe('a service with shorter settings', () => {
  test('does not shorten the queue of others', async () => {
    const prefix = ownPrefix();
    const [patient, hasty] = [providerOf(prefix, { waiterTtl: 60_000 }), providerOf(prefix, { waiterTtl: 600 })];
    const [holder, first, second] = [claimOf(), claimOf(), claimOf()];
    await patient.tryAcquire(holder);
    await enqueue(patient, first);
    await enqueue(hasty, second);
    await eventually('the end of its own place', async () => (await patient.inspect('job')).waiters < 2);
    expect((await patient.inspect('job')).waiters).toBe(1);
    await patient.release(holder);
    expect(await patient.tryAcquire(claimOf())).toMatchObject({ granted: false });
    expect(await patient.tryAcquire(first)).toMatchObject({ granted: true });
  });

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
