import { wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import type { Hold, Store } from './textbook.ts';

/** What `claim` has in the store, also where it has expired and no call has removed it. */
function kept(store: Store, key: string, owner?: string): Hold | undefined {
  return store.get(key)?.holds.find((hold) => owner === undefined || hold.owner === owner);
}

/** `call` of the owner finds a hold that has ended, and that no other call has removed. */
function revivedBy(call: 'tryAcquire' | 'renew' | 'release'): Flaw['make'] {
  return wrapped((inner, store) => {
    const revive = (key: string, owner: string, ttl: number): void => {
      const hold = kept(store, key, owner);
      if (hold !== undefined) hold.expires = Math.max(hold.expires, performance.now() + ttl);
    };
    return {
      tryAcquire(claim, wake) {
        if (call === 'tryAcquire') revive(claim.key, claim.owner, claim.ttl);
        return inner.tryAcquire(claim, wake);
      },
      renew(claim, token) {
        if (call === 'renew') revive(claim.key, claim.owner, claim.ttl);
        return inner.renew(claim, token);
      },
      release(claim) {
        if (call === 'release') revive(claim.key, claim.owner, claim.ttl);
        return inner.release(claim);
      },
    };
  });
}

/** Of holds that end while no call looks at them. */
export const unseen: readonly Flaw[] = [
  {
    name: 'a hold that ended is given to those alone that have watched it: a newcomer watches for a ttl first',
    caughtBy: ['expiry-for-newcomers'],
    make: wrapped((inner, store) => {
      const watched = new Map<bigint, number>();
      return {
        async tryAcquire(claim, wake) {
          const hold = kept(store, claim.key);
          const now = performance.now();
          if (hold === undefined || hold.owner === claim.owner) return await inner.tryAcquire(claim, wake);
          const since = watched.get(hold.token) ?? now;
          watched.set(hold.token, since);
          const seen = since <= hold.expires || now - since > claim.ttl;
          return seen || hold.expires > now ? await inner.tryAcquire(claim, wake) : { granted: false, retryAfter: 20 };
        },
      };
    }),
  },
  ...(['renew', 'tryAcquire', 'release'] as const).map((call) => ({
    name: `${call} of an owner revives its hold that has ended unseen`,
    caughtBy: ['expiry-ends-the-hold'],
    make: revivedBy(call),
  })),
];
