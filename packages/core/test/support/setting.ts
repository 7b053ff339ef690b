import { expect, onTestFinished } from 'vitest';
import { createLocks } from '../../src/index.ts';
import type { Lease, Locks, LocksOptions, Traits } from '../../src/index.ts';
import { ScriptedProvider, freeAtOnce, grantAtOnce, renewAtOnce } from './scripted-provider.ts';
import { VirtualRuntime, settle } from './virtual-runtime.ts';

/** A `Locks` over a scripted provider, in virtual time. */
export interface Setting {
  readonly runtime: VirtualRuntime;
  readonly provider: ScriptedProvider;
  readonly locks: Locks;
  /** A lease, taken and answered without any time passing. */
  take(key: string, options?: Parameters<Locks['acquire']>[1]): Promise<Lease>;
}

/** Options of a setting. */
export interface SettingOptions extends Omit<LocksOptions, 'runtime'> {
  readonly traits?: Partial<Traits>;
  /** Of all jitter; 0 and just below 1 are its ends. @default from a seed */
  readonly random?: number;
  /** How the provider answers from the beginning. */
  readonly answers?: ScriptedProvider['answers'];
}

/** Makes a setting; at the end of the test core must not have broken the contract. */
export function createSetting({ traits, random, answers, ...options }: SettingOptions = {}): Setting {
  const runtime = new VirtualRuntime(random === undefined ? {} : { random });
  const provider = new ScriptedProvider(runtime, traits);
  Object.assign(provider.answers, answers);
  const locks = createLocks(provider, { ...options, runtime });
  onTestFinished(() => expect(provider.violations).toEqual([]));
  return {
    runtime,
    provider,
    locks,
    async take(key, takeOptions) {
      const before = provider.answers.tryAcquire;
      provider.answers.tryAcquire = grantAtOnce;
      const lease = await locks.acquire(key, takeOptions);
      if (before === undefined) delete provider.answers.tryAcquire;
      else provider.answers.tryAcquire = before;
      return lease;
    },
  };
}

/** A setting where every lock is free and every call is answered at once, well. */
export function createFreeSetting(options: SettingOptions = {}): Setting {
  return createSetting({ ...options, answers: { tryAcquire: grantAtOnce, ...well, ...options.answers } });
}

/** Answers every renewal and every release at once, well. */
export const well: ScriptedProvider['answers'] = { renew: renewAtOnce, release: freeAtOnce };

/** Answers every renewal and every release at once, well. */
export function answerWell(provider: ScriptedProvider): void {
  Object.assign(provider.answers, well);
}

/** How a promise stands, without waiting for it. */
export interface Watched<T> {
  readonly state: 'open' | 'fulfilled' | 'rejected';
  readonly value: T | undefined;
  readonly error: unknown;
  /** The virtual time at which it settled. */
  readonly at: number | undefined;
  /** How long it took, in virtual ms. */
  readonly took: number | undefined;
}

/** Follows `promise`; its rejection counts as handled. */
export function watch<T>(promise: Promise<T>, runtime?: VirtualRuntime): Watched<T> {
  const watched: { -readonly [Name in keyof Watched<T>]: Watched<T>[Name] } = {
    state: 'open',
    value: undefined,
    error: undefined,
    at: undefined,
    took: undefined,
  };
  const begun = runtime?.time ?? 0;
  const end = () => (runtime === undefined ? {} : { at: runtime.time, took: runtime.time - begun });
  promise.then(
    (value) => Object.assign(watched, { state: 'fulfilled', value, ...end() }),
    (error: unknown) => Object.assign(watched, { state: 'rejected', error, ...end() }),
  );
  return watched;
}

/**
 * Fails unless nothing is left of any acquisition. No timer keeps the process alive, and close has
 * nothing to wait for.
 */
export async function expectNothingLeft({ runtime, locks }: Pick<Setting, 'runtime' | 'locks'>): Promise<void> {
  expect(runtime.keepAliveTimers).toBe(0);
  const closing = watch(locks.close(), runtime);
  await settle();
  expect(closing.state).toBe('fulfilled');
  expect(runtime.keepAliveTimers).toBe(0);
}
