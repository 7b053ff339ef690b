import type { AdapterModule, Claim, LockProvider } from '@locks/core';
import { Redis } from 'ioredis';

/** The well-known flawed recipe: `SET NX PX`, and a release that deletes the key of any holder. */
export const fromConfig: AdapterModule['fromConfig'] = async ({ url = '' }) => createProvider(new Redis(url));

function createProvider(client: Redis): LockProvider {
  client.on('error', () => {});
  const nameOf = ({ key, mode, owner }: Claim): string => (mode === 'shared' ? `${key}:${owner}` : key);
  return {
    name: 'no-owner-check',
    traits: { scope: 'network', expiry: 'ttl', fencing: 'clock-bounded', fair: false, shared: true, wake: false },
    async tryAcquire(claim) {
      const name = nameOf(claim);
      const set = await client.set(name, claim.owner, 'PX', claim.ttl, 'NX');
      if (set === null && (await client.get(name)) !== claim.owner) return { granted: false, retryAfter: 10 };
      return { granted: true, token: BigInt(await client.incr('token')) };
    },
    renew: async (claim) => ((await client.pexpire(nameOf(claim), claim.ttl)) === 1 ? {} : false),
    release: async (claim) => (await client.del(nameOf(claim))) === 1,
    inspect: async (key) => ({ key, holders: [], waiters: 0 }),
    async close() {
      await client.quit();
    },
  };
}
