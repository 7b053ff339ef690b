import type { Claim, LockProvider } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import type { Settings } from '../../options/acquire-options.ts';

/**
 * The cooldown of a key after a lease. The store keeps the hold for longer than the lease is valid,
 * so a ttl is all that it needs.
 */
export interface Rest {
  /** The ttl of the lease, in ms. */
  readonly ttl: number;
  /** After an unclean end, in ms. */
  readonly lockDelay: number;
  /** From the grant, in ms. */
  readonly atLeast: number;
  /** When it was granted, by the clock. */
  readonly since: number;
}

/**
 * Clocks differ in rate by at most 1 %. So of a time that passed here, this part has certainly
 * passed at the store. A larger part could end a long cooldown early.
 */
const certainRate = 0.99;

/** The shortest ttl that a provider accepts, in ms. */
const shortestTtl = 50;

/** What is left of `atLeast`, in ms. */
export function leftOf({ atLeast, since }: Rest, now: number): number {
  return Math.max(0, Math.ceil(atLeast - (now - since) * certainRate));
}

/** `claim` as sent to the store at `now`: with the ttl of the hold. */
export function storedClaim(claim: Claim, rest: Rest | undefined, now: number): Claim {
  if (rest === undefined) return claim;
  return { ...claim, ttl: Math.max(rest.ttl + rest.lockDelay, leftOf(rest, now)) };
}

/**
 * When the cooldown after a lease that ends at `now` ends, by the clock. `clean`: its holder
 * released it. `undefined`: the key is free immediately.
 */
export function restUntil(rest: Rest | undefined, now: number, clean: boolean): number | undefined {
  if (rest === undefined) return undefined;
  const left = Math.max(leftOf(rest, now), clean ? 0 : rest.lockDelay);
  return left === 0 ? undefined : now + left;
}

/** The ttl of the last renewal of a hold that is to end at `until`. 0: it has ended. */
export function lastTtl(until: number | undefined, now: number): number {
  return until === undefined || until <= now ? 0 : Math.max(shortestTtl, Math.ceil(until - now));
}

/** Throws `LOCK_INVALID` where a hold ends with its session, whatever its ttl. */
export function mustRest(
  { name, traits }: Pick<LockProvider, 'name' | 'traits'>,
  key: string,
  { atLeast }: Settings,
): void {
  if (traits.expiry !== 'session') return;
  const option = atLeast > 0 ? 'atLeast' : 'lockDelay';
  const message = `Option "${option}" needs a provider with expiry: "ttl". With ${name} a lease on ${JSON.stringify(key)} ends with the session of its process. Leave the option out, or choose another provider.`;
  throw new LockError('LOCK_INVALID', message, { key });
}
