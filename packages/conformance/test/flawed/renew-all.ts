import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';
import type { Flaw } from './flaw.ts';

type RenewAll = NonNullable<LockProvider['renewAll']>;

/** Memory providers whose way to renew several claims is wrong. */
function renewing(flaw: (sound: RenewAll, inner: LockProvider) => RenewAll): Flaw['make'] {
  return () => {
    const store = createMemoryStore();
    return () => {
      const inner = createMemoryProvider({ store });
      const sound: RenewAll = async (claims) => (await inner.renewAll?.(claims)) ?? [];
      return {
        name: inner.name,
        traits: inner.traits,
        tryAcquire: (claim, wake) => inner.tryAcquire(claim, wake),
        renewAll: flaw(sound, inner),
        renew: (claim, token) => inner.renew(claim, token),
        release: (claim) => inner.release(claim),
        inspect: (key) => inner.inspect(key),
        close: () => inner.close(),
      };
    };
  };
}

/** Of the renewals of several claims in one call. */
export const renewAll: readonly Flaw[] = [
  {
    name: 'a renewal of several claims says of each that it is held',
    caughtBy: ['renew-all-answers', 'renew-all-restarts-ttl'],
    make: renewing((sound) => async (claims) => (await sound(claims)).map(() => ({}))),
  },
  {
    name: 'a renewal of several claims answers in another order',
    caughtBy: ['renew-all-answers', 'renew-all-restarts-ttl'],
    make: renewing((sound) => async (claims) => (await sound(claims)).toReversed()),
  },
  {
    name: 'a renewal of several claims answers for those that hold alone',
    caughtBy: ['renew-all-answers', 'renew-all-restarts-ttl'],
    make: renewing((sound) => async (claims) => (await sound(claims)).filter((answer) => answer !== false)),
  },
  {
    name: 'a renewal of several claims prolongs the last of them alone',
    caughtBy: ['renew-all-restarts-ttl'],
    make: renewing((sound, inner) => async (claims) => {
      const states = await Promise.all(claims.map(({ key }) => inner.inspect(key)));
      await sound(claims.slice(-1));
      return claims.map(({ owner }, index) =>
        states[index]?.holders.some((holder) => holder.owner === owner) ? {} : false,
      );
    }),
  },
  {
    name: 'a renewal of several claims prolongs whatever hold is on their keys',
    caughtBy: ['renew-all-restarts-ttl'],
    make: renewing((sound, inner) => async (claims) => {
      for (const claim of claims) {
        const { holders } = await inner.inspect(claim.key);
        for (const { owner } of holders) await inner.renew({ ...claim, owner });
      }
      return await sound(claims);
    }),
  },
];
