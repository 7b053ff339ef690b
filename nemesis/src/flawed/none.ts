import type { AdapterModule, LockProvider } from '@locks/core';

/** A lock that grants whatever is asked for, with the same three tokens again and again. */
export const fromConfig: AdapterModule['fromConfig'] = async () => createProvider();

function createProvider(): LockProvider {
  let grants = 0n;
  return {
    name: 'none',
    traits: { scope: 'network', expiry: 'ttl', fencing: 'clock-bounded', fair: false, shared: true, wake: false },
    async tryAcquire() {
      grants += 1n;
      return { granted: true, token: 1n + (grants % 3n) };
    },
    renew: async () => ({}),
    release: async () => true,
    inspect: async (key) => ({ key, holders: [], waiters: 0 }),
    async close() {},
  };
}
