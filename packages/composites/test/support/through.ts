import type { LockProvider } from '../../../core/src/index.ts';

/** What each call of a provider goes through. */
type Pass = <T>(call: () => Promise<T>) => Promise<T>;

/** `provider`, whose calls go through `pass`. It has no registers and no list. */
export function through(provider: LockProvider, pass: Pass): LockProvider {
  return {
    name: provider.name,
    traits: provider.traits,
    tryAcquire: (claim, wake) => pass(() => provider.tryAcquire(claim, wake)),
    renew: (claim, token) => pass(() => provider.renew(claim, token)),
    release: (claim) => pass(() => provider.release(claim)),
    inspect: (key) => pass(() => provider.inspect(key)),
    close: () => provider.close(),
  };
}
