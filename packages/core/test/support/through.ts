import type { LockProvider } from '../../src/index.ts';

/** What each call of a provider goes through, with its name. */
type Pass = <T>(call: () => Promise<T>, name: string) => Promise<T>;

/** `provider`, whose calls go through `pass`. It has no registers, no clock and no list. */
export function through(provider: LockProvider, pass: Pass): LockProvider {
  return {
    name: provider.name,
    traits: provider.traits,
    tryAcquire: (...given) => pass(() => provider.tryAcquire(...given), 'tryAcquire'),
    renew: (...given) => pass(() => provider.renew(...given), 'renew'),
    release: (claim) => pass(() => provider.release(claim), 'release'),
    inspect: (key) => pass(() => provider.inspect(key), 'inspect'),
    close: () => provider.close(),
  };
}
