import type { AdapterModule, LockProvider } from '@locks/core';

/** A lock that grants whatever is asked for, with tokens that begin anew in each process. */
export const fromConfig: AdapterModule['fromConfig'] = async () => createProvider();

function createProvider(): LockProvider {
  let token = 0n;
  return {
    name: 'none',
    traits: { scope: 'network', expiry: 'ttl', fencing: 'clock-bounded', fair: false, shared: true, wake: false },
    async tryAcquire() {
      token += 1n;
      return { granted: true, token };
    },
    renew: async () => ({}),
    release: async () => true,
    inspect: async (key) => ({ key, holders: [], waiters: 0 }),
    async close() {},
  };
}
