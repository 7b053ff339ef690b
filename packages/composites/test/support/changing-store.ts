import type { LockProvider } from '../../../core/src/index.ts';

/** A connection to the store that `now` gives at each call: it may have lost its data since. */
export function connectTo(now: () => LockProvider): LockProvider {
  const { name, traits } = now();
  return {
    name,
    traits,
    tryAcquire: (claim, wake) => now().tryAcquire(claim, wake),
    renew: (claim, token) => now().renew(claim, token),
    release: (claim) => now().release(claim),
    inspect: (key) => now().inspect(key),
    time: async () => (await now().time?.()) ?? 0,
    register: async (register, change) => await now().register?.(register, change),
    close: async () => {},
  };
}
