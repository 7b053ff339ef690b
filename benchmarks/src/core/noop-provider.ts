import type { LockProvider } from '@locks/core';

/** Grants everything immediately and keeps nothing: what is left is core's own work. */
export function createNoopProvider(): LockProvider {
  let token = 0n;
  return {
    name: 'noop',
    traits: { scope: 'process', expiry: 'ttl', fencing: 'strict', fair: false, shared: false, wake: false },
    tryAcquire: async () => ({ granted: true, token: ++token }),
    renew: async () => ({}),
    release: async () => true,
    inspect: async (key) => ({ key, holders: [], waiters: 0 }),
    close: async () => {},
  };
}
