import { keepsPromise } from './claim-state.ts';
import type { ClaimState, MachineOptions, MachineWorld, Outcome, Phase } from './claim-state.ts';
import type { PartCalls } from './part-calls.ts';

/** What the steps of one claim work with. */
export interface Machine {
  readonly options: MachineOptions;
  readonly world: MachineWorld;
  readonly calls: PartCalls;
  readonly state: ClaimState;
}

/** Core has called: what the members answered before does not count. */
export function beginRound({ state }: Machine, phase: Phase): void {
  state.phase = phase;
  state.patient = true;
  for (const part of state.parts) {
    part.heard = undefined;
    part.error = undefined;
  }
}

/** Core is told that it holds the key until then. */
export function promise({ state, world }: Machine, outcome: Outcome & { readonly until: number }): void {
  state.lost = false;
  state.promisedUntil = outcome.until;
  world.settle(outcome);
}

/**
 * It has too few votes. Those that are left keep others out until what core was told is over: core
 * may believe that until then.
 */
export function lose({ state, world }: Machine, now: number): void {
  state.lost = true;
  if (keepsPromise(state, now)) world.keep(state.promisedUntil);
}

/** Answers core once the members have taken back what the claim must not keep. */
export function answerLater(machine: Machine, outcome: Outcome): void {
  machine.state.phase = 'returning';
  machine.state.outcome = outcome;
  settleIfReturned(machine);
}

/** Answers core, if no member has to take something back any more. */
export function settleIfReturned({ state, world }: Machine): void {
  const { outcome } = state;
  if (state.phase !== 'returning' || state.returning > 0 || outcome === undefined) return;
  state.phase = 'resting';
  state.outcome = undefined;
  world.settle(outcome);
}

/** What a late answer brought to a claim that waits, or was told no. */
export function tidy({ state, calls }: Machine): void {
  calls.each((part, member) => {
    if (part.call !== undefined) return;
    const kept = state.waiting && (part.token !== undefined ? member < state.line : member === state.line);
    if (!kept && (part.token !== undefined || (part.inLine && state.waiting))) calls.giveBack(member);
  });
}
