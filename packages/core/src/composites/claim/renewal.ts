import type { Change } from './claim-state.ts';
import { decideRenewal, heldUntil } from './decisions.ts';
import { lose, promise, viewOf } from './machine.ts';
import type { Machine } from './machine.ts';
import { isPending } from './part.ts';

/**
 * Asks for the votes that are missing, and restarts the ttl of the others. `told`: core gave the
 * token of the claim.
 */
export function askToRenew({ calls, state: { found } }: Machine, change: Change, told: boolean): void {
  calls.each((part, member) => {
    if (found && part.token === undefined) return;
    if (part.call === undefined) {
      if (part.token === undefined || change === 'mode') calls.ask(member);
      // Votes that are looked up may have different tokens, of which only the owner knows its own.
      else calls.renew(part, member, false, !found || told);
    } else if (change === 'mode') part.next = 'ask';
    else if (change === 'ttl') part.next ??= 'renew';
  });
}

/** The next step of a renewal. */
export function goOnRenewing(machine: Machine, now: number): void {
  const { state, world, calls } = machine;
  if (state.outcome !== undefined) {
    // The next call must not meet the answers of this one.
    if (state.parts.some(isPending)) return;
    const { outcome } = state;
    state.phase = 'held';
    state.outcome = undefined;
    world.settle(outcome);
    return;
  }
  switch (decideRenewal(viewOf(machine), now)) {
    case 'renewed':
      state.phase = 'held';
      state.found = false;
      promise(machine, { kind: 'renewed', until: heldUntil(viewOf(machine), now) });
      break;
    case 'lost':
      state.phase = 'resting';
      state.found = false;
      lose(machine, now);
      calls.each((_, member) => calls.giveBack(member));
      world.settle({ kind: 'lost' });
      break;
    case 'unavailable':
      state.phase = 'held';
      world.settle({ kind: 'unavailable' });
      break;
    default:
  }
}
