import { describe, expect, test } from 'vitest';
import { claimOf, enqueue, providerOf } from '../support/queue.ts';
import { connect, eventually, ownPrefix } from '../support/redis.ts';

/** What an eviction, or an operator, may take from a key. */
const exclusive = ['token', 'queue', 'deadlines', 'terms'] as const;

describe('a key that has lost', () => {
  test.each(exclusive)('its %s is released, and its waiter is granted', async (companion) => {
    const prefix = ownPrefix();
    const [holding, waiting] = [providerOf(prefix), providerOf(prefix)];
    const [holder, waiter] = [claimOf(), claimOf()];
    await holding.tryAcquire(holder);
    await enqueue(waiting, waiter);
    await connect().del(`{${prefix}job}:${companion}`);
    expect(await holding.release(holder)).toBe(true);
    await eventually('the grant', async () => (await waiting.tryAcquire(waiter, () => {})).granted);
    expect(await waiting.release(waiter)).toBe(true);
  });

  test.each(['token', 'tokens'])('its %s goes on being shared', async (companion) => {
    const prefix = ownPrefix();
    const provider = providerOf(prefix);
    const claim = claimOf({ mode: 'shared', permits: 2 });
    const first = await provider.tryAcquire(claim);
    await connect().del(`{${prefix}job}:${companion}`);
    expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
    await connect().del(`{${prefix}job}:${companion}`);
    const raised = (first as { readonly token: bigint }).token + 1_000_000n;
    expect(await provider.renew(claim, raised)).toEqual({});
    expect(await provider.release(claim)).toBe(true);
  });
});
