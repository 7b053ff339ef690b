import type { Change } from './claim-state.ts';
import { decideRenewal, heldUntil } from './decisions.ts';
import type { Machine } from './machine.ts';
import { isPending } from './part.ts';
import type { Part } from './part.ts';

/**
 * In ms: how long a position at a member lasts without a repeat, if the member does not report it.
 * More loses the position.
 */
const untilRepeat = 500;

/**
 * Requests the missing votes, in the queue, so that no later claim gets them first. Restarts the
 * ttl of the others. `told`: core passed the token of the claim.
 */
export function askToRenew(machine: Machine, change: Change, told: boolean): void {
  const { found, parts } = machine.state;
  for (const part of parts) {
    if (found && part.token === undefined) continue;
    if (part.call === undefined) {
      if (part.token === undefined || change === 'mode') machine.ask(part, part.token === undefined);
      // Found votes may have different tokens, of which only the owner knows its own.
      else machine.renewVote(part, false, !found || told);
    } else if (change === 'mode') part.next = 'ask';
    else if (change === 'ttl') part.next ??= 'renew';
  }
}

/** A member woke a holder, whose turn has come there: requests the missing vote. */
export function askInTurn(machine: Machine, part: Part): void {
  if (part.token !== undefined) return;
  if (part.call === undefined) machine.ask(part, true);
  else part.next = 'ask';
}

/** A holder got busy: it repeats in time to keep its position. */
export function askForPlacesLater({ state, world }: Machine, { retryAfter = untilRepeat }: Part): void {
  const now = world.now();
  if (state.healAt !== undefined && state.healAt > now) return;
  state.healAt = now + retryAfter;
  world.pause(retryAfter);
}

/** Repeats a holder's calls for positions. */
export function askForPlaces(machine: Machine): void {
  machine.state.healAt = undefined;
  for (const part of machine.state.parts) if (part.token === undefined && part.inQueue) machine.ask(part, true);
}

/** The next step of a renewal. */
export function goOnRenewing(machine: Machine, now: number): void {
  const { state, world } = machine;
  if (state.outcome !== undefined) {
    // The next call must not receive the answers of this one.
    if (state.parts.some(isPending)) return;
    const { outcome } = state;
    state.stage = 'held';
    state.outcome = undefined;
    world.settle(outcome);
    return;
  }
  const step = decideRenewal(machine, now);
  switch (step) {
    case 'renewed':
      state.stage = 'held';
      // A member that has lost its vote may grant another. A release by force looks the same, so it
      // is asked only after the others have confirmed that the lease continues.
      for (const part of state.found ? [] : state.parts) {
        if (part.heard === 'busy' && part.number === 0) machine.ask(part, true);
      }
      state.found = false;
      machine.promise({ kind: 'renewed', until: heldUntil(machine, now) });
      break;
    case 'over':
    case 'lost':
      // The last renewal of a key that rests: no vote goes back before its end.
      if (step === 'over')
        state.promisedUntil = Math.max(state.promisedUntil, ...state.parts.map(({ until }) => until));
      state.stage = 'resting';
      state.found = false;
      machine.lose();
      machine.giveBackAll();
      world.settle({ kind: 'lost', renewed: step === 'over' });
      break;
    case 'unavailable':
      state.stage = 'held';
      world.settle({ kind: 'unavailable' });
      break;
    default:
  }
}
