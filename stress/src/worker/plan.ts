import type { Ask } from '../log/events.ts';
import type { Random } from '../random.ts';

/**
 * What all workers want: a key that changes hands often, two that are held longer, a semaphore, and
 * one of both modes.
 */
const busyKey = 'account-0';
const exclusiveKeys = ['account-1', 'account/2 {ä}'] as const;
const permitsKey = 'slots';
const mixedKey = 'catalogue';
export const keys: readonly string[] = [busyKey, ...exclusiveKeys, permitsKey, mixedKey];

/** One turn of a flow. */
export interface Plan {
  readonly ask: Ask;
  /** In ms: how long the lease is held. */
  readonly hold: number;
  /** Calls `renew` in the middle. */
  readonly renewNow: boolean;
  /** In ms: the pause before the turn. */
  readonly think: number;
}

/** Chooses the next turn under faults. */
export function choosePlan(random: Random, ttl: number, exclusive = false): Plan {
  const what = chooseKey(random, exclusive);
  const how = random.pick(['acquire', 'acquire', 'acquire', 'withLock', 'withLock', 'tryAcquire'] as const);
  const wait = random.chance(how === 'tryAcquire' ? 0.5 : 0.25) ? Math.round(random.between(20, 2 * ttl)) : undefined;
  const abortAfter = random.chance(0.1) ? Math.round(random.between(1, ttl)) : undefined;
  const renew = !random.chance(0.05);
  return {
    ask: {
      ...what,
      how,
      renew,
      reentrant: how === 'withLock' && what.mode === 'exclusive' && random.chance(0.5),
      calm: false,
      ...(wait === undefined ? {} : { wait }),
      ...(abortAfter === undefined ? {} : { abortAfter }),
    },
    hold: what.key === busyKey ? random.between(0, 3) : chooseHold(random, ttl, renew, exclusive),
    renewNow: random.chance(0.05),
    think: random.between(0, 5),
  };
}

/**
 * What the listener of a lost lease does: it wants a lock of its own, which must not be one that
 * another flow holds.
 */
export function planAfterLoss(random: Random): Plan {
  const key = random.pick([busyKey, ...exclusiveKeys]);
  const ask: Ask = { key, mode: 'exclusive', how: 'withLock', wait: 1_000, renew: true, reentrant: true, calm: false };
  return { ask, hold: random.between(0, 5), renewNow: false, think: 0 };
}

/** Turns of a calm phase: each key once. */
export function calmPlans(random: Random, exclusive = false): Plan[] {
  return keys.map((key) => {
    const what =
      key === permitsKey && !exclusive
        ? ({ key, mode: 'shared', permits: 2 } as const)
        : ({ key, mode: 'exclusive' } as const);
    return {
      ask: { ...what, how: 'acquire', renew: true, reentrant: false, calm: true },
      hold: random.between(0, 5),
      renewNow: false,
      think: 0,
    };
  });
}

/** `exclusive`: the keys of the other mode are exclusive, too. */
function chooseKey(random: Random, exclusive: boolean): Pick<Ask, 'key' | 'mode' | 'permits'> {
  const choice = random.next();
  if (choice < 0.5) return { key: busyKey, mode: 'exclusive' };
  if (choice < 0.7) return { key: random.pick(exclusiveKeys), mode: 'exclusive' };
  if (exclusive) return { key: choice < 0.85 ? permitsKey : mixedKey, mode: 'exclusive' };
  if (choice < 0.85) return { key: permitsKey, mode: 'shared', permits: 2 };
  return { key: mixedKey, mode: random.chance(0.7) ? 'shared' : 'exclusive' };
}

/**
 * Mostly short; some need renewals, or outlast a ttl without any. `long`: more of them last longer
 * than a server that came back empty grants nothing.
 */
function chooseHold(random: Random, ttl: number, renew: boolean, long: boolean): number {
  if (!renew) return random.between(0.5, 1.5) * ttl;
  const choice = random.next();
  if (long && choice < 0.3) return random.between(1, 4) * ttl;
  if (choice < 0.9) return random.between(0, 20);
  if (choice < 0.97) return random.between(0.1, 0.6) * ttl;
  return random.between(0.8, 2.5) * ttl;
}
