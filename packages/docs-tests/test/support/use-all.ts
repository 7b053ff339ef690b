import type { Locks } from '@locks/core';
import { expect } from 'vitest';

/** Every kind of claim: free, in line, shared, renewed. */
export async function useAll(locks: Locks): Promise<void> {
  const first = await locks.acquire('key');
  const second = locks.acquire('key');
  await expect.poll(async () => (await locks.inspect('key')).waiters, { timeout: 20_000 }).toBe(1);
  await first.renew();
  await first.release();
  await (await second).release();
  const shares = [1, 2].map(() => locks.acquire('key', { mode: 'shared', permits: 2 }));
  for (const share of await Promise.all(shares)) {
    await share.renew();
    await share.release();
  }
}
