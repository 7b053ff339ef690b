import type { Ask } from '../log/events.ts';
import type { Random } from '../random.ts';
import { allKeys, keysOf } from './keys.ts';
import type { Keys } from './keys.ts';
import type { Target } from './messages.ts';

/** In ms: how often the job runs. */
const slotLength = 1_000;

/** One turn of a flow. */
export interface Plan {
  readonly ask: Ask;
  /** Of `multiLock`: all its keys. */
  readonly keys?: readonly string[];
  /** What the holder does with its lease before it releases it. */
  readonly goesOn?: 'downgrade' | 'handOver';
  /** In ms: how long the lease is held. */
  readonly hold: number;
  /** Calls `renew` in the middle. */
  readonly renewNow: boolean;
  /** In ms: the pause before the turn. */
  readonly think: number;
}

/**
 * Chooses the next turn under faults. `first`: of the process. Then the lease lasts, where some do:
 * a process that is cut off soon has one.
 */
export function choosePlan(random: Random, target: Target, first: boolean): Plan {
  const { ttl, exclusive = false, lasting } = target;
  const keys = keysOf(target);
  if (first && lasting !== undefined) return planToLast(random, keys, lasting);
  if (keys.kept !== undefined && random.chance(0.02)) return tryKept(keys.kept);
  if (target.flawed === undefined && random.chance(0.2)) return chooseObject(random, keys, ttl, exclusive);
  const what = chooseKey(random, keys, exclusive);
  const how = random.pick(['acquire', 'acquire', 'acquire', 'withLock', 'withLock', 'tryAcquire'] as const);
  const wait = random.chance(how === 'tryAcquire' ? 0.5 : 0.25) ? Math.round(random.between(20, 2 * ttl)) : undefined;
  const abortAfter = random.chance(0.1) ? Math.round(random.between(1, ttl)) : undefined;
  const renew = !random.chance(0.05);
  // With more of them most keys are held all the time, and little else happens.
  const lasts = lasting !== undefined && random.chance(0.01);
  return {
    ask: {
      ...what,
      how,
      renew,
      reentrant: how === 'withLock' && what.mode === 'exclusive' && random.chance(0.5),
      calm: false,
      ...(wait === undefined ? {} : { wait }),
      ...(abortAfter === undefined ? {} : { abortAfter }),
      ...(lasts ? { ttl: lasting } : {}),
    },
    hold: lasts
      ? random.between(0.4, 0.8) * lasting
      : what.key === keys.busy
        ? random.between(0, 3)
        : chooseHold(random, ttl, renew, exclusive),
    renewNow: random.chance(0.05),
    think: random.between(0, 5),
  };
}

/** A call of an object: several keys, a job, an election, a lease that goes on as another one. */
function chooseObject(random: Random, keys: Keys, ttl: number, exclusive: boolean): Plan {
  const ask = { mode: 'exclusive', renew: true, reentrant: false, calm: false } as const;
  const hold = random.chance(0.8) ? random.between(0, 20) : random.between(0.1, 1.5) * ttl;
  const rest = { hold, renewNow: random.chance(0.05), think: random.between(0, 5) };
  const wait = Math.round(random.between(20, 2 * ttl));
  const key = random.pick(keys.exclusive);
  switch (random.pick(['multiLock', 'once', 'elect', 'handOver', 'downgrade'] as const)) {
    case 'multiLock':
      return { ...rest, ask: { ...ask, key, how: 'multiLock', wait }, keys: [key, keys.busy] };
    case 'once': {
      const slot = new Date(Math.floor(Date.now() / slotLength) * slotLength).toISOString();
      return { ...rest, ask: { ...ask, key: 'once/report', how: 'once', ttl, slot } };
    }
    case 'elect':
      return { ...rest, ask: { ...ask, key: 'leader of all', how: 'elect', wait, ttl } };
    case 'handOver':
      return { ...rest, ask: { ...ask, key, how: 'acquire', wait }, goesOn: 'handOver' };
    default:
      return { ...rest, ask: { ...ask, key: exclusive ? key : keys.mixed, how: 'acquire', wait }, goesOn: 'downgrade' };
  }
}

/**
 * What the listener of a lost lease does: it wants a lock of its own, which must not be one that
 * another flow holds.
 */
export function planAfterLoss(random: Random, target: Target): Plan {
  const { busy, exclusive } = keysOf(target);
  const key = random.pick([busy, ...exclusive]);
  const ask: Ask = { key, mode: 'exclusive', how: 'withLock', wait: 1_000, renew: true, reentrant: true, calm: false };
  return { ask, hold: random.between(0, 5), renewNow: false, think: 0 };
}

/** A lease that is held for longer than others. */
function planToLast(random: Random, { exclusive }: Keys, ttl: number): Plan {
  const key = random.pick(exclusive);
  const ask: Ask = { key, mode: 'exclusive', how: 'acquire', renew: true, reentrant: false, ttl, calm: false };
  return { ask, hold: random.between(1, 1.5) * ttl, renewNow: false, think: 0 };
}

/** A process asks for the key that another one keeps. */
function tryKept(key: string): Plan {
  const ask: Ask = { key, mode: 'exclusive', how: 'tryAcquire', renew: true, reentrant: false, calm: false };
  return { ask, hold: 0, renewNow: false, think: 0 };
}

/** Holds `key` until the worker is told to leave. */
export function planToKeep(key: string, ttl: number): Plan {
  const ask: Ask = { key, mode: 'exclusive', how: 'acquire', renew: true, reentrant: false, ttl, calm: false };
  return { ask, hold: Infinity, renewNow: false, think: 0 };
}

/** Turns of a calm phase: each key once. */
export function calmPlans(random: Random, target: Target): Plan[] {
  const { kept: _, ...free } = keysOf(target);
  return allKeys(free).map((key) => {
    const what =
      key === free.permits && target.exclusive !== true
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
function chooseKey(random: Random, keys: Keys, exclusive: boolean): Pick<Ask, 'key' | 'mode' | 'permits'> {
  const choice = random.next();
  // Of many keys the busy one has a smaller part.
  if (choice < (keys.kept === undefined ? 0.5 : 0.25)) return { key: keys.busy, mode: 'exclusive' };
  if (choice < 0.7) return { key: random.pick(keys.exclusive), mode: 'exclusive' };
  if (exclusive) return { key: choice < 0.85 ? keys.permits : keys.mixed, mode: 'exclusive' };
  if (choice < 0.85) return { key: keys.permits, mode: 'shared', permits: 2 };
  return { key: keys.mixed, mode: random.chance(0.7) ? 'shared' : 'exclusive' };
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
