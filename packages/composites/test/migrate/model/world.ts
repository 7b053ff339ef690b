import type { Outcome, PhaseState, PhaseStep } from '../../../src/migrate/decisions.ts';
import type { End, Phase } from '../../../src/migrate/phase.ts';

/** A step of a process that its store has answered. It hears that later. */
interface Answered {
  readonly step: PhaseStep;
  readonly outcome: Outcome;
}

/** The claim of a process, on the one key. */
export interface Claim {
  readonly phase: Phase;
  /** Of the presence that it was asked under. */
  readonly presence: number;
  readonly number: number;
  stage: 'asking' | 'second' | 'granted' | 'held';
  sentAt: number;
  token: number;
  until: number;
}

export interface Process {
  readonly index: number;
  phase: PhaseState;
  /** How many of its wishes it has had. */
  wished: number;
  presence: { readonly number: number; until: number } | undefined;
  answered: Answered | undefined;
  settleFrom: number;
  /** Where it has a mark, and of which number. */
  mark: { readonly end: End; readonly number: number } | undefined;
  /** The bar of its tokens. */
  bar: number | undefined;
  claim: Claim | undefined;
  attempts: number;
  renewals: number;
  retries: number;
  stage: 'up' | 'asleep' | 'crashed';
}

interface Entry {
  readonly number: number;
  expires: number;
}

export interface Store {
  presences: Entry[];
  marks: Entry[];
  hold: (Entry & { token: number }) | undefined;
  /** Of the key. */
  counter: number;
}

export interface World {
  now: number;
  numbers: number;
  highest: number;
  readonly processes: Process[];
  readonly stores: Store[];
  ticks: number;
  losses: number;
  crashes: number;
  sleeps: number;
  problem: string | undefined;
}

/** What a search goes through. */
export interface Setting {
  /** The phases that each process is told, one after the other. */
  readonly wishes: readonly (readonly Phase[])[];
  readonly presenceTtl: number;
  readonly ttl: number;
  readonly settle: number;
  /** By how much the clock of the first store is ahead, and what a clock grows by in a tick. */
  readonly ahead: number;
  readonly perTick: number;
  readonly ticks: number;
  /** How often a store loses its data. Then the locks in it are lost too, and are no problem. */
  readonly losses: number;
  readonly crashes: number;
  readonly sleeps: number;
  readonly attempts: number;
  readonly renewals: number;
  readonly retries: number;
  /** `blind`: it sees no others. `low`: it compares no tokens. */
  readonly flaw?: 'blind' | 'low' | undefined;
}

export function settingOf(given: Partial<Setting> & Pick<Setting, 'wishes'>): Setting {
  const faults = { ticks: 0, losses: 0, crashes: 0, sleeps: 0 };
  const actions = { attempts: 1, renewals: 0, retries: 0 };
  return { presenceTtl: 2, ttl: 2, settle: 0, ahead: 0, perTick: 100, ...faults, ...actions, ...given };
}

export function copyWorld(world: World): World {
  return {
    ...world,
    processes: world.processes.map((each) => ({
      ...each,
      phase: { ...each.phase },
      presence: each.presence && { ...each.presence },
      claim: each.claim && { ...each.claim },
    })),
    stores: world.stores.map(({ presences, marks, hold, counter }) => ({
      presences: presences.map((each) => ({ ...each })),
      marks: marks.map((each) => ({ ...each })),
      hold: hold && { ...hold },
      counter,
    })),
  };
}
