import type { Change } from './claim-state.ts';
import { decideRenewal, heldUntil } from './decisions.ts';
import { viewOf } from './machine.ts';
import type { Machine } from './machine.ts';
import { isPending } from './part.ts';

/** Asks for the votes that are missing, and restarts the ttl of the others. */
export function askToRenew({ calls }: Machine, change: Change): void {
  calls.each((part, member) => {
    if (part.call === undefined) {
      if (part.token === undefined || change === 'mode') calls.ask(member);
      else calls.renew(part, member);
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
      world.settle({ kind: 'renewed', until: heldUntil(viewOf(machine), now) });
      break;
    case 'lost':
      state.phase = 'resting';
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
