import { AssertionError } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createLocks } from '@locks/core';
import type { LockProvider, Traits } from '@locks/core';
import { applies } from './conditions.ts';
import { disturbed } from './context/disturbed.ts';
import { createContext } from './context/context.ts';
import type { Context } from './context/context.ts';
import type { Core } from './context/core.ts';
import { mustBeProvider } from './checks/expect.ts';
import { withHints } from './context/failures.ts';
import type { Need } from './faults/faults.ts';
import { countLeaks, settleLeaks } from './context/leaks.ts';
import { observations } from './context/observations.ts';
import type { ConformanceOptions, ConformanceSettings } from './options.ts';
import { resolveOptions } from './read-options.ts';
import type { ConformanceReport, RequirementResult } from './report.ts';
import type { Requirement } from './requirement.ts';
import { selectRequirements } from './requirements/index.ts';
import { createScope } from './context/scope.ts';
import { watchStrays } from './context/strays.ts';
import { inBackground, now, within } from './checks/time.ts';

/** A run whose requirements are checked one by one, as by test runners. */
export interface ConformanceRun {
  /** What will be checked, in order. */
  readonly requirements: readonly Requirement[];
  /** The longest time of a check, with its clean-up, in ms. */
  readonly limit: number;
  /** The seed of the random choices: option `seed` repeats them. */
  readonly seed: number;
  /** Checks one requirement. Rejects only if no provider can be created to read its traits. */
  check(requirement: Requirement): Promise<RequirementResult>;
  /** The requirements for the declared traits. Rejects if no provider can be created. */
  applicable(): Promise<readonly Requirement[]>;
  /** Where the provider declares less than it does. */
  notes(): Promise<readonly string[]>;
  /** What the provider declares. */
  traits(): Promise<Traits>;
}

interface Run {
  /** A part of keys and owners unique to this run. */
  readonly id: string;
  readonly core: Core;
  readonly settings: ConformanceSettings;
  /** How many requirements were disturbed before. */
  readonly rounds: Iterator<number, number>;
}

type Verdict = Pick<RequirementResult, 'status' | 'error' | 'reason' | 'missing'>;

/**
 * Checks every requirement, one by one, and calls `onResult` after each. Rejects with
 * `LOCK_MISCONFIGURED` for a wrong option, and if `create` returns no provider.
 */
export async function runConformance(
  options: ConformanceOptions,
  onResult?: (result: RequirementResult) => void,
): Promise<ConformanceReport> {
  return await reportOf(startConformance(options), options.name, onResult);
}

/**
 * As `runConformance`, with another core, and another patience so that failures show sooner. Not
 * public: for the tests of the suite.
 */
export async function runConformanceWith(
  core: Core,
  options: ConformanceOptions,
  patience: number,
): Promise<ConformanceReport> {
  return await reportOf(startWith(core, { ...resolveOptions(options), patience }), options.name);
}

export async function reportOf(
  run: ConformanceRun,
  name: string,
  onResult: (result: RequirementResult) => void = () => {},
): Promise<ConformanceReport> {
  const results: RequirementResult[] = [];
  for (const requirement of run.requirements) {
    const result = await run.check(requirement);
    results.push(result);
    onResult(result);
  }
  const failed = results.some(({ status }) => status === 'failed');
  const unverified = results.some(({ status }) => status === 'unverified');
  const verdict = failed ? 'failed' : unverified ? 'incomplete' : 'passed';
  return { name, traits: await run.traits(), seed: run.seed, results, verdict, notes: await run.notes() };
}

/**
 * Prepares a run; nothing is created before the first check. Throws `LOCK_MISCONFIGURED` for a
 * wrong option.
 */
export function startConformance(options: ConformanceOptions): ConformanceRun {
  return startWith({ createLocks }, resolveOptions(options));
}

function startWith(core: Core, settings: ConformanceSettings): ConformanceRun {
  const requirements = selectRequirements(settings.only);
  const run: Run = { id: `c${randomBytes(5).toString('hex')}`, core, settings, rounds: count() };
  let declared: Promise<LockProvider> | undefined;
  const sample = (): Promise<LockProvider> =>
    (declared ??= readSample(settings).catch((error: unknown) => {
      declared = undefined;
      throw error;
    }));

  return {
    requirements,
    // A disturbance may take as long to begin and to end as 2 patiences each.
    limit: settings.limit + (settings.disturb === undefined ? 5 : 9) * settings.patience,
    seed: settings.seed,
    async check(requirement) {
      const provider = await sample();
      const start = now();
      const verdict = await judge(requirement, provider, run);
      const { id, title, level } = requirement;
      return { id, title, level, ...verdict, duration: now() - start };
    },
    async applicable() {
      const provider = await sample();
      return requirements.filter((requirement) => applies(requirement, provider));
    },
    async notes() {
      const provider = await sample();
      const notes: string[] = [];
      for (const { id, appliesTo, observe } of observations) {
        if (!appliesTo(provider.traits)) continue;
        // Failures of an observation are reported by the requirements.
        const note = await inScope(id, provider.traits, run, observe).catch(() => undefined);
        if (note !== undefined) notes.push(note);
      }
      return notes;
    },
    traits: async () => (await sample()).traits,
  };
}

/** A provider to read traits and optional methods; it is closed immediately. */
async function readSample(settings: ConformanceSettings): Promise<LockProvider> {
  const provider = await within(settings.limit, Promise.resolve(settings.create()), 'create() to resolve');
  mustBeProvider(provider, 'create');
  await within(settings.patience, provider.close(), 'close() to resolve').catch(() => {});
  return provider;
}

async function judge(requirement: Requirement, sample: LockProvider, run: Run): Promise<Verdict> {
  const { settings } = run;
  const { traits } = sample;
  if (!applies(requirement, sample)) {
    return { status: 'not-applicable', reason: 'the traits do not ask for it' };
  }
  const missing = (requirement.needs ?? []).filter((need) => !isGiven(need, settings));
  if (missing.length > 0) {
    const reason = `needs ${missing.join(', ')}`;
    if (!settings.strict) return { status: 'unverified', reason, missing };
    const message = `expected its check to be possible, as option "strict" says; it ${reason}`;
    return { status: 'failed', error: new AssertionError({ message }), missing };
  }
  const strays = watchStrays();
  const error = await strays.during(() => failureOf(requirement, traits, run));
  const unhandled = (await strays.seen()).map((what) => `unhandled: ${what}`);
  strays.stop();
  if (error === undefined && unhandled.length === 0) return { status: 'passed' };
  const told = error ?? new AssertionError({ message: 'expected no unhandled error during the check' });
  return { status: 'failed', error: withHints(told, [...unhandled, `seed ${settings.seed}`]) };
}

async function failureOf(requirement: Requirement, traits: Traits, run: Run): Promise<Error | undefined> {
  const { leaks, disturb, patience, ttl } = run.settings;
  const round = run.rounds.next().value;
  try {
    await disturbed(disturb, round, 2 * patience, async () => {
      const baseline = leaks === undefined ? undefined : await countLeaks(leaks, patience);
      await inScope(requirement.id, traits, run, requirement.check);
      if (leaks !== undefined && baseline !== undefined) await settleLeaks(leaks, baseline, patience + 4 * ttl);
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new AssertionError({ message: String(error) });
  }
}

function* count(): Generator<number, number> {
  for (let number = 0; ; number += 1) yield number;
}

function isGiven(need: Need, settings: ConformanceSettings): boolean {
  if (need === 'processes' || need === 'createOther') return settings[need] !== undefined;
  return settings.faults[need] !== undefined;
}

/** Runs `check` with a separate context, within the limit; whatever it created is ended. */
async function inScope<T>(id: string, traits: Traits, run: Run, check: (context: Context) => Promise<T>): Promise<T> {
  const { create, createOther, processes, ttl, patience, seed, faults, limit } = run.settings;
  const scope = createScope({ create, createOther, processes, faults, startLimit: limit, endLimit: patience });
  const hasOther = createOther !== undefined;
  const context = createContext({ id, traits, ttl, patience, seed, scope, hasOther, run: run.id, core: run.core });
  const checked = inBackground(check(context));
  let answer: T;
  try {
    answer = await within(limit, checked, `the check of "${id}" to end`);
  } catch (error) {
    await scope.end().catch(() => {});
    throw error;
  }
  await scope.end();
  return answer;
}
