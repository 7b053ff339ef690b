import { chooseQueue, decideAttempt, decideConfirmation, heldUntil, highestToken } from './decisions.ts';
import type { Machine } from './machine.ts';
import { isUnraised, isVote } from './part.ts';
import type { Part } from './part.ts';
import { waitInQueue } from './wait-in-queue.ts';

/**
 * In ms: votes whose beginnings differ by more are renewed, so that they end together. More makes a
 * dead holder's votes end one by one.
 */
const apart = 16;

/** Requests votes: the next step of an attempt. */
export function goOnAsking(machine: Machine, now: number): void {
  const { state, world } = machine;
  const head = machine.part(state.queue);
  if (head.heard === 'failed' || head.late) {
    // A call to a slow member may be in flight: another queue, until it answers.
    state.queue = chooseQueue(state.parts, (member) => world.isSuspect(member));
  }
  switch (decideAttempt(machine, now)) {
    case 'wait':
      break;
    case 'ask queue':
      machine.ask(machine.part(state.queue), state.waits, true);
      if (state.askedAll) machine.askOthers();
      break;
    case 'ask others':
      state.askedAll = true;
      machine.askOthers();
      goOnAsking(machine, now);
      break;
    case 'confirm':
      confirm(machine, now);
      break;
    case 'busy':
      waitInQueue(machine, now);
      break;
    case 'ask spared':
      machine.askOthers(true);
      break;
    case 'unavailable':
      fail(machine);
      break;
    default:
  }
}

/** Sends the votes the highest token: the next step of a confirmation. */
export function goOnConfirming(machine: Machine, now: number): void {
  const { state } = machine;
  switch (decideConfirmation(machine, now)) {
    case 'held':
      hold(machine, now);
      break;
    case 'again':
      confirm(machine, now);
      break;
    case 'raise spared':
      for (const part of state.parts) if (isUnraised(part, state.token, now)) machine.renewVote(part, true);
      break;
    case 'unavailable':
      fail(machine);
      break;
    default:
  }
}

function confirm(machine: Machine, now: number): void {
  const { options, state } = machine;
  const votes = state.parts.filter((part) => isVote(part, now));
  state.token = highestToken(votes);
  if (!options.fencing) {
    hold(machine, now);
    return;
  }
  state.stage = 'confirming';
  // When the last of the votes begins its ttl.
  const isTold = ({ token }: Part): boolean => token === state.token;
  const latest = votes.every(isTold) ? Math.max(...votes.map(({ sentAt }) => sentAt)) : now;
  for (const vote of votes) if (!isTold(vote) || latest - vote.sentAt > apart) machine.renewVote(vote);
  goOnConfirming(machine, machine.world.now());
}

function hold(machine: Machine, now: number): void {
  const { state } = machine;
  state.stage = 'held';
  state.waiting = false;
  state.keptSince = undefined;
  machine.promise({ kind: 'granted', token: state.token, until: heldUntil(machine, now) });
  for (const part of state.parts) if (part.token !== undefined && part.brief) machine.renewVote(part);
}

/**
 * Too few members answer. Votes are returned; a position, and what is unknown, stay until core
 * repeats or releases.
 */
function fail(machine: Machine): void {
  machine.giveBackAll(true, ({ token, call }) => token !== undefined && call === undefined);
  machine.answerLater({ kind: 'unavailable' });
}
