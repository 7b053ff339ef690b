import type { Claim, LockProvider } from '../contract.ts';

/** `provider`, with tokens above `floor`. */
export function withFloor(provider: LockProvider, floor: bigint): LockProvider {
  return {
    name: provider.name,
    get traits() {
      return provider.traits;
    },
    tryAcquire: (claim, wake) => provider.tryAcquire(above(floor, claim), wake),
    renew: (claim, token) => provider.renew(claim, token),
    release: (claim) => provider.release(claim),
    inspect: (key) => provider.inspect(key),
    close: () => provider.close(),
    ...(provider.list && { list: provider.list.bind(provider) }),
    ...(provider.time && { time: provider.time.bind(provider) }),
    ...(provider.register && { register: provider.register.bind(provider) }),
    ...(provider.outage && { outage: provider.outage.bind(provider) }),
  };
}

/** `claim`, with a token above `floor`. */
export function above(floor: bigint | undefined, claim: Claim): Claim {
  return floor === undefined || floor <= (claim.floor ?? 0n) ? claim : { ...claim, floor };
}
