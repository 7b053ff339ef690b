import type { MemberAnswer } from '../members/member-answers.ts';
import { isHeld } from './claim-state.ts';
import type { Machine } from './machine.ts';
import type { Part } from './part.ts';
import { askForPlacesLater, askInTurn, goOnRenewing } from './renewal.ts';

/** Processes a member's answer to the call in flight. `false`: nothing is left to decide. */
export function takeAnswer(machine: Machine, part: Part, answer: MemberAnswer): boolean {
  const { call, next } = part;
  part.call = undefined;
  part.next = undefined;
  part.late = false;
  switch (answer.kind) {
    case 'granted':
      part.heard = 'granted';
      part.uncertain = false;
      part.inQueue = false;
      if (answer.token !== undefined) part.token = answer.token;
      part.since = part.sentAt;
      part.until = part.sentAt + answer.validity;
      // Only granted ones: a failed renewal would be repeated endlessly.
      if (next === undefined || !isHeld(machine.state)) raiseLate(machine, part);
      else {
        part.heard = undefined;
        if (next === 'ask') machine.ask(part, false, true);
        else machine.renewVote(part, true);
      }
      break;
    case 'busy':
      part.heard = 'busy';
      part.uncertain = false;
      part.token = undefined;
      part.inQueue ||= call === 'ask in the queue';
      part.retryAfter = answer.retryAfter;
      if (!isHeld(machine.state)) break;
      // It was woken in the meantime.
      if (next === 'ask') askInTurn(machine, part);
      else askForPlacesLater(machine, part);
      break;
    case 'no vote':
      part.heard = 'busy';
      // It may have a hold with a higher token, which this claim cannot renew.
      machine.giveBack(part, false, true);
      if (machine.state.stage === 'held') machine.ask(machine.part(part.member), true);
      break;
    case 'failed':
      part.heard = 'failed';
      part.error = answer.error;
      part.uncertain ||= !answer.leftNothing;
      // It may come late, and shorten the vote again: another owner asks next.
      if (part.brief && !answer.leftNothing) machine.giveBack(part);
      break;
    case 'refused':
      part.heard = 'failed';
      part.error = answer.error;
      refuse(machine, answer.error);
      return false;
    default:
      answer satisfies never;
  }
  return true;
}

/** A vote that came after the others also gets the claim's token and ttl. */
function raiseLate(machine: Machine, part: Part): void {
  const { options, state } = machine;
  if (part.token === undefined || (state.stage !== 'confirming' && !isHeld(state))) return;
  if (part.brief || (options.fencing && part.token < state.token)) machine.renewVote(part);
}

/** A member refused the claim as such. */
function refuse(machine: Machine, error: unknown): void {
  const { state, world } = machine;
  switch (state.stage) {
    case 'renewing':
      // The claim keeps its hold.
      state.outcome = { kind: 'refused', error };
      goOnRenewing(machine, world.now());
      break;
    case 'asking':
    case 'pausing':
    case 'confirming':
      machine.giveBackAll(true);
      machine.answerLater({ kind: 'refused', error });
      break;
    case 'resting':
    case 'returning':
    case 'held':
    case 'over':
      break;
    default:
      state.stage satisfies never;
  }
}
