import type { End, Phase } from './phase.ts';

/**
 * What a process does before it acts under an end, in this order. `announce`: it takes its presence
 * in the end's own store. `look`: it looks for presences of the other end, in the other store.
 * `check`: it looks for the mark of a process that left the end, in the end's own store. `mark`: it
 * leaves its own mark in the other store. `probe`: it finds the floor of its tokens. Each other
 * order breaks (`packages/composites/test`): two processes that look first see nothing of each
 * other, and a token that is given after the probe may be above the floor.
 */
export const entering = ['announce', 'look', 'check', 'mark', 'probe'] as const;

/**
 * How a process takes away the mark in the store of an end. `read`: it reads the mark, while it is
 * to be in `both`. That is the word of its operator for the way back. `look`: it looks for
 * presences of the other end, in the other store. `lift`: it takes the mark away, if it is still
 * the one that it read. A process that was in `both` may do the last two when it enters the end.
 */
export const lifting = ['read', 'look', 'lift'] as const;

/** What a process does next about its phase. */
export type PhaseStep = (typeof entering)[number] | 'act' | 'leave' | 'withdraw' | 'wait';

/** Where a process is between the phases, as plain data: a model check copies it. */
export interface PhaseState {
  /** What its configuration says. */
  desired: Phase;
  /** The end that it enters, acts under or leaves. `undefined`: none, it has no presence. */
  end: End | undefined;
  /** How many steps of `entering` are done. */
  done: number;
  /** A step has begun, and has no answer yet. */
  underWay: boolean;
  /** New attempts begin under the end. */
  acting: boolean;
  /** Others are in the way, or a step failed: it gives its presence back and tries again later. */
  refused: boolean;
  /** How often it began to act under an end: claims of two times have different floors. */
  epoch: number;
  /** Tokens under the end exceed it. */
  floor: bigint;
}

/** A process that has done nothing yet. */
export function initialPhase(desired: Phase): PhaseState {
  return {
    desired,
    end: undefined,
    done: 0,
    underWay: false,
    acting: false,
    refused: false,
    epoch: 0,
    floor: 0n,
  };
}

/**
 * The next step. `inUse`: leases or attempts under the end are left. The presence stays until they
 * are over, as it keeps the other end's processes away.
 */
export function nextStep(state: PhaseState, inUse: boolean): PhaseStep {
  const { desired, end, done, underWay, acting, refused } = state;
  if (underWay) return 'wait';
  if (end === undefined) return desired === 'both' || refused ? 'wait' : entering[0];
  if (acting) return desired === end ? 'wait' : 'leave';
  const step = entering[done];
  // It has acted, and leaves.
  if (step === undefined) return desired === end ? 'act' : inUse ? 'wait' : 'withdraw';
  return desired === end && !refused ? step : 'withdraw';
}

/** What a claim is taken under. */
export interface Scope {
  readonly phase: Phase;
  /** Of the process: `PhaseState.epoch`. 0 in `both`, where no floor is needed. */
  readonly epoch: number;
  /** The token must exceed it. */
  readonly floor: bigint | undefined;
}

/** The scope of all claims in both stores. */
export const ofBoth: Scope = { phase: 'both', epoch: 0, floor: undefined };

/** What an attempt begins under. `present`: the presence is certainly held at this moment. */
export function scopeOf({ acting, end, epoch, floor }: PhaseState, present: boolean): Scope {
  return acting && present && end !== undefined ? { phase: end, epoch, floor } : ofBoth;
}

/**
 * Whether a lease may be held under `scope`. Its answer may come after the presence was lost, and
 * was even taken again.
 */
export function mayHold(scope: Scope, { end, epoch }: PhaseState, present: boolean): boolean {
  return scope.phase === 'both' || (present && end === scope.phase && epoch === scope.epoch);
}

/** When a lease under `phase` ends, if it is not renewed: with the presence at the latest. */
export function heldUntil(phase: Phase, until: number, presentUntil: number): number {
  return phase === 'both' ? until : Math.min(until, presentUntil);
}

/** Until when a lease is held. `toldUntil`: until when core believes what it was told of an end. */
export interface MigratingLease {
  readonly phase: Phase;
  readonly until: number;
  readonly toldUntil: number;
}

/**
 * Whether a lease counts on the store of an end alone, and so on the presence there. One that was
 * carried does for as long as core was told before: the other store may let go of it earlier.
 */
export function countsOnEnd({ phase, until, toldUntil }: MigratingLease, now: number): boolean {
  return now < (phase === 'both' ? toldUntil : until);
}

/**
 * What a renewal does. `carry`: the process leaves the end, so the lease takes the other store too.
 * `shed`: the process acts under an end, so the lease gives the other store up, which may be gone
 * soon.
 */
export function renewalStep(phase: Phase, now: Scope): 'renew' | 'carry' | 'shed' {
  if (phase === now.phase) return 'renew';
  return phase === 'both' ? 'shed' : 'carry';
}

/**
 * Whether a claim that waits goes on with its owner in the first store, and so with its place in
 * line. `clean`: each of its attempts was answered. One that was not may have been granted, with a
 * token below the floor of a later time.
 */
export function keepsPlace(before: Scope, now: Scope, clean: boolean): boolean {
  if (before.phase === now.phase && before.epoch === now.epoch) return true;
  if (before.phase === 'to' || now.phase === 'to') return false;
  return now.phase === 'both' || clean;
}
