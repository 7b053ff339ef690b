import type { Flaw } from './flaw.ts';
import { createTextbook } from './textbook.ts';
import type { Hold, Store } from './textbook.ts';

/** What `claim` has in the store, also where it has expired and no call has removed it. */
function kept(store: Store, key: string, owner?: string): Hold | undefined {
  return store.get(key)?.holds.find((hold) => owner === undefined || hold.owner === owner);
}

/** Of holds that end while no call looks at them. */
export const unseen: readonly Flaw[] = [
  {
    name: 'a hold that ended is given to those alone that have watched it: a newcomer watches for a ttl first',
    caughtBy: ['expiry-for-newcomers'],
    make: () => {
      const store: Store = new Map();
      return () => {
        const inner = createTextbook(store);
        const watched = new Map<bigint, number>();
        return {
          ...inner,
          async tryAcquire(claim, wake) {
            const hold = kept(store, claim.key);
            const now = performance.now();
            if (hold === undefined || hold.owner === claim.owner) return await inner.tryAcquire(claim, wake);
            const since = watched.get(hold.token) ?? now;
            watched.set(hold.token, since);
            const seen = since <= hold.expires || now - since > claim.ttl;
            return seen || hold.expires > now
              ? await inner.tryAcquire(claim, wake)
              : { granted: false, retryAfter: 20 };
          },
        };
      };
    },
  },
];
