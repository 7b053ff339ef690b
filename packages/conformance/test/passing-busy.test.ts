import { createLocks, createMemoryProvider } from '@locks/core';
import type { Claim, KeyState, LockProvider } from '@locks/core';
import { expect, test } from 'vitest';
import { mustGrant, mustTake } from '../src/checks/expect.ts';

const claim: Claim = { key: 'job', owner: 'me/1', ttl: 10_000, mode: 'exclusive' };
const idle: KeyState = { key: 'job', holders: [], waiters: 0 };
const held: KeyState = { ...idle, holders: [{ owner: 'other/1', mode: 'exclusive' }] };

/** A provider that says busy so many times, and sees `state`. */
function busy(times: number, state: KeyState): LockProvider {
  const provider = createMemoryProvider();
  const { tryAcquire } = provider;
  let left = times;
  provider.tryAcquire = async (one, wake) => {
    left -= 1;
    return left < 0 ? await tryAcquire.call(provider, one, wake) : { granted: false };
  };
  provider.inspect = async () => state;
  return provider;
}

test('a composite may be busy in passing, where it has no holder', async () => {
  expect(await mustGrant(busy(3, { ...idle, members: [idle, held] }), claim, 'on a free key')).toMatchObject({
    granted: true,
  });
  await using locks = createLocks(busy(3, { ...idle, members: [idle, held] }));
  expect(await mustTake(locks, 'job', 'on a free key')).toMatchObject({ held: true });
});

test.each([
  ['a composite with a holder', { ...held, members: [held, held] }],
  ['a provider without members', idle],
])('%s must grant at once', async (_, state) => {
  await expect(mustGrant(busy(1, state), claim, 'on a free key')).rejects.toThrow('expected a grant on a free key');
  await using locks = createLocks(busy(1, state));
  await expect(mustTake(locks, 'job', 'on a free key')).rejects.toThrow('resolve to a lease on a free key');
});
