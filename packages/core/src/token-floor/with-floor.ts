import type { Busy, Claim, Grant, LockProvider } from '../contract.ts';
import type { StoreFloor } from './store-floor.ts';

/** `provider`, whose claims have the floor of its store. They wait until it is known. */
export function withFloor(provider: LockProvider, floor: StoreFloor): LockProvider {
  /** Owners whose claims wait for the floor. A release must not be followed by its claim. */
  const waiting = new Set<string>();
  return {
    name: provider.name,
    get traits() {
      return provider.traits;
    },
    tryAcquire(claim, wake) {
      const ready = floor.ready();
      const send = (): Promise<Grant | Busy> => provider.tryAcquire(above(floor.now(), claim), wake);
      if (ready === undefined) return send();
      waiting.add(claim.owner);
      const isOver = (): boolean => !waiting.delete(claim.owner);
      return ready.then(
        () => (isOver() ? { granted: false } : send()),
        (error: unknown) => {
          isOver();
          throw error;
        },
      );
    },
    renew: (claim, token) => provider.renew(claim, token),
    release(claim) {
      waiting.delete(claim.owner);
      return provider.release(claim);
    },
    inspect: (key) => provider.inspect(key),
    close: () => provider.close(),
    ...(provider.list && { list: provider.list.bind(provider) }),
    ...(provider.time && { time: provider.time.bind(provider) }),
    ...(provider.register && { register: provider.register.bind(provider) }),
    ...(provider.outage && { outage: provider.outage.bind(provider) }),
  };
}

/** `claim`, whose token exceeds `floor`. */
export function above(floor: bigint | undefined, claim: Claim): Claim {
  return floor === undefined || floor <= (claim.floor ?? 0n) ? claim : { ...claim, floor };
}
