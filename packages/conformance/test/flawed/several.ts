import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { Claim, Grant, LockProvider } from '@locks/core';
import type { Flaw } from './flaw.ts';

type Several = NonNullable<LockProvider['tryAcquireAll']>;

/** Memory providers whose way to take several keys is wrong. `unfair` passes those in line. */
function taking(flaw: (sound: Several, inner: LockProvider, unfair: LockProvider) => Several): Flaw['make'] {
  return () => {
    const store = createMemoryStore();
    return () => {
      const inner = createMemoryProvider({ store });
      const unfair = createMemoryProvider({ store, fair: false });
      const sound: Several = async (claims) => (await inner.tryAcquireAll?.(claims)) ?? false;
      return {
        name: inner.name,
        traits: inner.traits,
        tryAcquire: (claim, wake) => inner.tryAcquire(claim, wake),
        tryAcquireAll: flaw(sound, inner, unfair),
        renew: (claim, token) => inner.renew(claim, token),
        release: (claim) => inner.release(claim),
        inspect: (key) => inner.inspect(key),
        close: () => inner.close(),
      };
    };
  };
}

async function areFree(provider: LockProvider, claims: readonly Claim[]): Promise<boolean> {
  const states = await Promise.all(claims.map(({ key }) => provider.inspect(key)));
  return states.every(({ holders }) => holders.length === 0);
}

async function oneByOne(provider: LockProvider, claims: readonly Claim[]): Promise<readonly Grant[] | false> {
  const grants: Grant[] = [];
  for (const claim of claims) {
    const answer = await provider.tryAcquire(claim);
    if (!answer.granted) return false;
    grants.push(answer);
  }
  return grants;
}

const multiLocks = ['locks-multi-lock', 'locks-multi-lock-loss'];

/** Of several keys at once. */
export const several: readonly Flaw[] = [
  {
    name: 'of several keys it keeps those that were free, though another one is held',
    caughtBy: ['several-all-or-none', 'several-behind-line', 'several-in-contention'],
    mayAlsoFail: multiLocks,
    make: taking((_sound, inner) => (claims) => oneByOne(inner, claims)),
  },
  {
    name: 'of several keys it looks whether all are free, then takes them: two steps',
    caughtBy: ['several-in-contention'],
    mayAlsoFail: [...multiLocks, 'several-repeat', 'several-expiry', 'several-behind-line'],
    make: taking((_sound, inner) => async (claims) => {
      if (!(await areFree(inner, claims))) return false;
      await new Promise(setImmediate);
      return await oneByOne(inner, claims);
    }),
  },
  {
    name: 'of several keys it looks at the first and the last alone',
    caughtBy: ['several-all-or-none', 'several-in-contention'],
    mayAlsoFail: [...multiLocks, 'several-behind-line'],
    make: taking((sound, inner) => async (claims) => {
      const grants = await sound(claims);
      if (grants !== false || (await areFree(inner, claims))) return grants;
      if (!(await areFree(inner, [claims[0] as Claim, claims.at(-1) as Claim]))) return false;
      return claims.map(() => ({ granted: true, token: 1n }));
    }),
  },
  {
    name: 'of several keys the tokens are swapped',
    caughtBy: ['several-tokens'],
    make: taking((sound) => async (claims) => {
      const grants = await sound(claims);
      return grants === false ? false : grants.toReversed();
    }),
  },
  {
    name: 'of several keys the floor is forgotten',
    caughtBy: ['several-tokens'],
    make: taking((sound) => (claims) => sound(claims.map((claim) => ({ ...claim, floor: 0n })))),
  },
  {
    name: 'a repeat of several claims is busy',
    caughtBy: ['several-repeat', 'several-expiry'],
    make: taking((sound, inner) => async (claims) => ((await areFree(inner, claims)) ? await sound(claims) : false)),
  },
  {
    name: 'a repeat of several claims mints other tokens',
    caughtBy: ['several-repeat'],
    mayAlsoFail: ['several-tokens'],
    make: taking((sound, inner) => async (claims) => {
      if (await sound(claims)) for (const claim of claims) await inner.release(claim);
      return await sound(claims);
    }),
  },
  {
    name: 'a repeat of several claims restarts the ttl of the first alone',
    caughtBy: ['several-expiry'],
    make: taking((sound, inner) => async (claims) => {
      const states = await Promise.all(claims.map(({ key }) => inner.inspect(key)));
      const grants = await sound(claims);
      if (grants === false) return false;
      for (const [index, { holders }] of states.entries()) {
        const remaining = holders[0]?.remaining;
        if (index > 0 && remaining !== undefined)
          await inner.renew({ ...(claims[index] as Claim), ttl: Math.max(50, Math.round(remaining)) });
      }
      return grants;
    }),
  },
  {
    name: 'who wants several keys passes those in line',
    caughtBy: ['several-behind-line'],
    make: taking((sound, inner, unfair) => async (claims) => {
      const grants = await sound(claims);
      if (grants !== false || !(await areFree(inner, claims))) return grants;
      return await oneByOne(unfair, claims);
    }),
  },
  {
    name: 'who wants several keys takes a place in line for each that is held',
    caughtBy: ['several-all-or-none', 'several-behind-line'],
    mayAlsoFail: [...multiLocks, 'several-in-contention'],
    make: taking((sound, inner) => async (claims) => {
      const grants = await sound(claims);
      if (grants !== false) return grants;
      for (const claim of claims) {
        const { holders } = await inner.inspect(claim.key);
        if (holders.length > 0) await inner.tryAcquire(claim, () => {});
      }
      return false;
    }),
  },
];
