import type { Claim, Grant, KeyState, LockProvider, Locks, LocksOptions, Traits } from '@locks/core';
import type { Core } from './core.ts';
import { interfere } from '../checks/interference.ts';
import type { Interference } from '../checks/interference.ts';
import type { OtherProcess } from '../processes/other-process.ts';
import { createRandom } from '../checks/random.ts';
import type { Random } from '../checks/random.ts';
import type { GivenFaults } from '../faults/scoped-faults.ts';
import type { Scope } from './scope.ts';
import { isIdle, mustGrant } from '../checks/expect.ts';
import { eventually, within } from '../checks/time.ts';
import { startWaiting } from '../checks/waiting.ts';
import type { Waiting } from '../checks/waiting.ts';

/**
 * What a check works with. Everything it creates belongs to this check and is closed when it ends.
 */
export interface Context {
  /** What the provider under test declares. */
  readonly traits: Traits;
  /** A ttl that expires within the check, in ms. */
  readonly ttl: number;
  /** A ttl that does not expire within any check, in ms. */
  readonly longTtl: number;
  /** The longest wait for something that must happen soon, in ms. */
  readonly patience: number;
  /** Reproducible with the seed of the report. */
  readonly random: Random;
  /** The hooks that the requirement needs; their effects are undone when the check ends. */
  readonly faults: GivenFaults;
  /** Another provider on the same store, like another process. */
  create(): Promise<LockProvider>;
  /** One with the shortest settings, like another service. Only with `needs: ['createOther']`. */
  createOther(): Promise<LockProvider>;
  /**
   * One whose positions in the queue lapse soon: from `createOther`, or from `create` without that.
   */
  createLapsing(): Promise<LockProvider>;
  /**
   * How long a position of `createLapsing` lasts without a refresh, in ms, including the time to
   * notice its end.
   */
  readonly placeLimit: number;
  /** `count` of them. */
  createMany<Count extends 2 | 3 | 4>(count: Count): Promise<Many[Count]>;
  /** `createLocks` on a separate provider. */
  createLocks(options?: LocksOptions): Promise<Locks>;
  /** `createLocks` on `provider`. */
  locksOn(provider: LockProvider, options?: LocksOptions): Locks;
  /**
   * `createLocks` on a separate provider whose single calls the check can make fail. Its close does
   * not wait long.
   */
  interfere(options?: LocksOptions): Promise<{ readonly locks: Locks; readonly interference: Interference }>;
  /**
   * Starts a process with a provider on the same store. Only with `needs: ['processes']`. Its wall
   * clock is `ahead` of that of this process, in ms. @default 0
   */
  fork(ahead?: number): Promise<OtherProcess>;
  /** Lower-case letters, digits and `-`, never seen before. */
  unique(): string;
  /** A key of this check only. */
  key(): string;
  /** By default an exclusive claim with a new owner, the long ttl and a new key. */
  claim(key?: string, changes?: Partial<Omit<Claim, 'key'>>): Claim;
  /** Such a claim that holds a new key. */
  hold(provider: LockProvider, changes?: Partial<Omit<Claim, 'key'>>): Promise<Claim>;
  /** Waits for `claim` as core would. */
  wait(provider: LockProvider, claim: Claim): Waiting;
  /** The same, once it has its position in the queue. */
  queue(provider: LockProvider, claim: Claim): Promise<Waiting>;
  /** Waits for `claim`, retrying only when it is woken: `retryAfter` does not hide a lost wake. */
  waitForWakes(provider: LockProvider, claim: Claim): Waiting;
  /** Waits until `waiting` is granted, with the patience of this check. */
  granted(waiting: Waiting, when: string): Promise<Grant>;
  /** Polls until `accepts` the answer, or until it is true, with the patience of this check. */
  eventually<T>(what: string, probe: () => T | Promise<T>, accepts?: (answer: T) => boolean): Promise<T>;
  /** The state of `key` once `accepts` it: other connections may see it later. */
  state(provider: LockProvider, key: string, what: string, accepts: (state: KeyState) => boolean): Promise<KeyState>;
  /** Waits until `key` has no holder and no waiter. */
  idle(provider: LockProvider, key: string, when?: string): Promise<KeyState>;
}

/** Tuples of providers. */
export interface Many {
  /** Two providers on one store. */
  readonly 2: readonly [LockProvider, LockProvider];
  /** Three providers on one store. */
  readonly 3: readonly [LockProvider, LockProvider, LockProvider];
  /** Four providers on one store. */
  readonly 4: readonly [LockProvider, LockProvider, LockProvider, LockProvider];
}

export interface ContextParts {
  readonly id: string;
  readonly traits: Traits;
  readonly ttl: number;
  readonly patience: number;
  readonly seed: number;
  readonly scope: Scope;
  /** Whether the scope can create a provider with the shortest settings. */
  readonly hasOther: boolean;
  /** A part of keys and owners unique to this run. */
  readonly run: string;
  readonly core: Core;
}

/**
 * The longest life of a position in the queue without a refresh, in ms: by the contract, and with
 * the settings of `createOther`. The time to notice its end is additional: a waiter may ask every
 * few seconds.
 */
export const longestPlace = 12_000;
const shortestPlace = 1_000;

/**
 * How long a client with interference waits when it closes, in ms: what never answers must not
 * delay the check.
 */
const closeTimeout = 100;

/** The context of one check. */
export function createContext(parts: ContextParts): Context {
  const { id, traits, ttl, patience, scope, hasOther, run } = parts;
  const random = createRandom(parts.seed, id);
  const longTtl = Math.max(30_000, 20 * ttl + 4 * patience);
  let count = 0;
  const unique = (): string => `${run}-${id}-${(count++).toString(36)}`;
  const locksOn: Context['locksOn'] = (provider, options) => {
    const locks = parts.core.createLocks(provider, options);
    scope.adopt(() => locks.close());
    return locks;
  };

  const key: Context['key'] = () => `conformance/${unique()}`;
  const claim: Context['claim'] = (on = key(), changes = {}) => ({
    key: on,
    owner: `conformance/${unique()}`,
    ttl: longTtl,
    mode: 'exclusive',
    ...changes,
  });
  const wait: Context['wait'] = (provider, waiter) => startWaiting(provider, waiter, { signal: scope.signal, random });
  const state: Context['state'] = (provider, of, what, accepts) =>
    eventually(patience, what, () => provider.inspect(of), accepts);

  return {
    traits,
    ttl,
    longTtl,
    patience,
    random,
    faults: scope.faults,
    unique,
    create: scope.create,
    createOther: scope.createOther,
    createLapsing: hasOther ? scope.createOther : scope.create,
    placeLimit: (hasOther ? shortestPlace : longestPlace) + patience,
    async createMany<Size extends 2 | 3 | 4>(size: Size) {
      const providers = await Promise.all(Array.from({ length: size }, () => scope.create()));
      return providers as unknown as Many[Size];
    },
    locksOn,
    createLocks: async (options) => locksOn(await scope.create(), options),
    async interfere(options) {
      const interference = interfere(await scope.create());
      scope.adopt(interference.end);
      return { locks: locksOn(interference.provider, { closeTimeout, ...options }), interference };
    },
    fork: scope.fork,
    key,
    claim,
    async hold(provider, changes) {
      const holder = claim(undefined, changes);
      await mustGrant(provider, holder, 'on a free key');
      return holder;
    },
    wait,
    async queue(provider, waiter) {
      const waiting = wait(provider, waiter);
      await waiting.inQueue;
      return waiting;
    },
    waitForWakes: (provider, waiter) =>
      startWaiting(provider, waiter, { signal: scope.signal, random, onlyWhenWoken: true }),
    granted: (waiting, when) => within(patience, waiting.granted, `a grant ${when}`),
    eventually: (what, probe, accepts = Boolean) => eventually(patience, what, probe, accepts),
    state,
    idle: (provider, of, when = '') => state(provider, of, `no holder and no waiter ${when}`.trimEnd(), isIdle),
  };
}
