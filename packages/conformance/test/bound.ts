import type { LockProvider } from '@locks/core';

/** The required calls of `inner`, in an object that a test may spread and change. */
export function bound(inner: LockProvider): LockProvider {
  return {
    name: inner.name,
    traits: inner.traits,
    tryAcquire: (claim, wake) => inner.tryAcquire(claim, wake),
    renew: (claim, token) => inner.renew(claim, token),
    release: (claim) => inner.release(claim),
    inspect: (key) => inner.inspect(key),
    close: () => inner.close(),
  };
}
