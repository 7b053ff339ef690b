import type { Lease } from '@locks/core';
import type { End, Phase } from './phase.ts';

/**
 * The steps of a process before it takes locks in one store alone, in order. `announce`: it takes
 * its presence in the store of that end. `look`: it looks for presences in the other store. If
 * another process acts under the same end, the next two are skipped. `settle`: it waits as long as
 * a presence lasts. By then the processes of a store that lost its data know it, even unseen ones.
 * `look again`: also for locks that only the other store has. `compare`: its tokens must exceed
 * those of the other store. Every other order breaks (`packages/composites/test/migrate/model`).
 */
export const entering = ['announce', 'look', 'settle', 'look again', 'compare'] as const;

/** What a process does next about its phase. */
export type PhaseStep = (typeof entering)[number] | 'act' | 'leave' | 'withdraw' | 'wait';

/** The result of a step. `taken`: as `passed`, and another process acts under the same end. */
export type Outcome = 'passed' | 'taken' | 'refused';

/** The position of a process between the phases, as plain data: a model check copies it. */
export interface PhaseState {
  /** The configured phase. */
  desired: Phase;
  /** The end of its presence. `undefined`: none. */
  end: End | undefined;
  /** How many steps of `entering` are done. */
  done: number;
  /** New claims begin under the end. */
  acting: boolean;
  /** Others block it, or a step failed: it returns its presence and retries later. */
  refused: boolean;
}

const nowhere = { end: undefined, done: 0, acting: false };

/** A process that has done nothing yet. */
export function initialPhase(desired: Phase): PhaseState {
  return { desired, ...nowhere, refused: false };
}

/**
 * The next step. `inUse`: leases or attempts under the end are left. The presence stays until they
 * have ended, as it keeps the processes of the other end away.
 */
export function nextStep({ desired, end, done, acting, refused }: PhaseState, inUse: boolean): PhaseStep {
  if (end === undefined) return desired === 'both' || refused ? 'wait' : entering[0];
  if (acting) return desired === end ? 'wait' : 'leave';
  const step = entering[done];
  // It has acted, and leaves.
  if (step === undefined) return desired === end ? 'act' : inUse ? 'wait' : 'withdraw';
  return desired === end && !refused ? step : 'withdraw';
}

/** `step` begins. The desired phase may change before it is done. */
export function begin(state: PhaseState, step: PhaseStep): void {
  if (entering.some((each) => each === step)) state.end ??= state.desired as End;
}

/** `state` after `step`. */
export function advance(state: PhaseState, step: PhaseStep, outcome: Outcome = 'passed'): void {
  if (outcome === 'refused') state.refused = true;
  else if (step === 'act') state.acting = true;
  else if (step === 'leave') state.acting = false;
  else if (step === 'withdraw') Object.assign(state, nowhere);
  else if (outcome === 'taken') state.done = entering.indexOf('compare');
  else if (step !== 'wait') state.done += 1;
}

/** The presence has ended involuntarily, and with it the leases under its end. */
export function lost(state: PhaseState): void {
  Object.assign(state, nowhere, { refused: true });
}

/** When a lease ends, if not renewed: under an end with the presence at the latest. */
export function heldUntil(until: number, presentUntil: number | undefined): number {
  return Math.min(until, presentUntil ?? Infinity);
}

/** What a claim is taken under. */
export type Scope =
  | { readonly phase: End; readonly presence: Lease }
  | { readonly phase: 'both'; readonly presence?: undefined };

export const ofBoth: Scope = { phase: 'both' };

export function isSame(one: Scope | undefined, other: Scope): boolean {
  return one?.phase === other.phase && one.presence === other.presence;
}
