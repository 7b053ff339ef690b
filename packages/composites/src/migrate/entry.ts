import type { MigrationMessage } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import type { Outcome, PhaseStep } from './decisions.ts';
import { findHolders } from './holders.ts';
import type { MigrateRules } from './options.ts';
import { oppositeOf } from './phase.ts';
import type { End } from './phase.ts';
import type { Signs } from './signs.ts';
import { barOf, untilAbove } from './tokens.ts';

/** Why a process is not in its desired phase. */
export type Refusal = Pick<MigrationMessage, 'by' | 'error'>;

/** The result of a step. `undefined`: a change of the phase ended it. */
export type Answer = Outcome | Refusal | undefined;

export interface StepParts {
  readonly rules: MigrateRules;
  readonly signs: Signs;
  /** The other store is gone, as declared by an operator. */
  readonly forced: boolean;
  /** Copies the records of jobs that only one store has to the other. */
  readonly carry: () => Promise<void>;
  /** The process stays in both for longer than a call waits. */
  readonly waits: (why?: Refusal) => void;
  /** Resolves after `ms`. To `false` if the phase has changed since the step began. */
  readonly pause: (ms: number) => Promise<boolean>;
}

/** Takes one step of a process to or from `end`. Rejects if a store hides what it must know. */
export async function takeStep(step: PhaseStep, end: End, parts: StepParts): Promise<Answer> {
  const { rules, signs } = parts;
  switch (step) {
    case 'announce':
      await signs.announce(end);
      return 'passed';
    case 'look':
      return (await othersBeside(end, parts)) ?? ((await signs.at(end)).some(({ acts }) => acts) ? 'taken' : 'passed');
    case 'settle':
      if (rules.settle === 0) return 'passed';
      parts.waits();
      return (await parts.pause(rules.settle)) ? 'passed' : undefined;
    case 'look again':
      return (await othersBeside(end, parts)) ?? (await lookForLocks(end, parts)) ?? (await carryJobs(parts));
    case 'compare':
      return await compare(end, parts);
    case 'withdraw':
      await signs.withdraw();
      return 'passed';
    default:
      return 'passed';
  }
}

/** The processes at the other end, if any. A store that does not answer hides them. */
async function othersBeside(end: End, { signs, forced }: StepParts): Promise<Refusal | undefined> {
  try {
    const by = [...new Set((await signs.at(oppositeOf(end))).map(({ process }) => process))];
    return by.length === 0 ? undefined : { by };
  } catch (error) {
    if (forced) return undefined;
    throw error;
  }
}

/** A process under `end` would not see a lock that only the other store has. */
async function lookForLocks(end: End, { rules: { stores }, forced, pause }: StepParts): Promise<Refusal | undefined> {
  if (forced) return undefined;
  const other = oppositeOf(end);
  const [lone] = (await findHolders(stores[other], stores[end], pause)).alone;
  if (lone === undefined) return undefined;
  const { key, owner } = lone;
  throw new LockError('LOCK_UNAVAILABLE', `${JSON.stringify(key)} is held in "${other}" alone, by ${owner}.`, { key });
}

/** No process changes records in the other store alone any more. */
async function carryJobs({ carry, forced }: StepParts): Promise<Answer> {
  await carry().catch((error: unknown) => {
    if (!forced) throw error;
  });
  return 'passed';
}

/** Waits until tokens of `end` exceed all of the other store. */
async function compare(end: End, parts: StepParts): Promise<Answer> {
  const { rules } = parts;
  const other = oppositeOf(end);
  if (Object.values(rules.stores).some(({ traits }) => traits.fencing === 'none')) return 'passed';
  const bar = await barOf(rules, other).catch((error: unknown) => {
    if (parts.forced) return 0n;
    throw error;
  });
  for (;;) {
    const wait = await untilAbove(rules, end, bar);
    if (wait === 0 || parts.forced) return 'passed';
    if (wait > rules.memberTimeout) {
      const message = `Tokens of "${end}" are behind those of "${other}" for ${wait} more ms. Wait, or set option tokenFloor of the client to ${bar}, and the phase to "${end}!".`;
      parts.waits({ error: new LockError('LOCK_UNAVAILABLE', message) });
    }
    if (!(await parts.pause(Math.min(wait, longestLook(rules))))) return undefined;
  }
}

/**
 * In ms: how soon a process checks its phase and obstacles again. With less, stores are asked more
 * often. With more, a step takes longer.
 */
export function longestLook({ presenceTtl }: Pick<MigrateRules, 'presenceTtl'>): number {
  return presenceTtl / 15;
}
