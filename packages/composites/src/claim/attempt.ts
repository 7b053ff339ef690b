import { chooseQueue, decideAttempt, decideConfirmation, heldUntil, highestToken } from './decisions.ts';
import type { Machine } from './machine.ts';
import { isVote } from './part.ts';
import { waitInQueue } from './wait-in-queue.ts';

/**
 * Votes that began so many ms apart are made to end together. More makes a dead holder's votes end
 * one by one.
 */
const apart = 16;

/** Asks for votes: the next step of an attempt. */
export function goOnAsking(machine: Machine, now: number): void {
  const { state, world } = machine;
  const head = machine.part(state.queue);
  if (head.heard === 'failed' || head.late) {
    // A call may be on its way to a slow member: another queue, until it answers.
    state.queue = chooseQueue(state.parts, (member) => world.isSuspect(member));
  }
  switch (decideAttempt(machine, now)) {
    case 'wait':
      break;
    case 'ask queue':
      machine.ask(state.queue, state.waits, true);
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

/** Tells the votes the highest token: the next step of a confirmation. */
export function goOnConfirming(machine: Machine, now: number): void {
  switch (decideConfirmation(machine, now)) {
    case 'held':
      hold(machine, now);
      break;
    case 'again':
      confirm(machine, now);
      break;
    case 'raise spared':
      machine.raiseSpared();
      break;
    case 'unavailable':
      fail(machine);
      break;
    default:
  }
}

function confirm(machine: Machine, now: number): void {
  const { options, state } = machine;
  state.token = highestToken(state.parts, now);
  if (!options.fencing) {
    hold(machine, now);
    return;
  }
  state.stage = 'confirming';
  const latest = lastSend(machine, now);
  machine.each((part, member) => {
    if (!isVote(part, now)) return;
    if (part.token === state.token && latest - part.sentAt > apart) machine.renew(part, member);
    else machine.raise(part, member);
  });
  goOnConfirming(machine, machine.world.now());
}

/** When the last of the votes begins its ttl: now, where one must still be told the token. */
function lastSend({ state }: Machine, now: number): number {
  let latest = 0;
  for (const part of state.parts) {
    if (!isVote(part, now)) continue;
    if (part.token !== state.token) return now;
    latest = Math.max(latest, part.sentAt);
  }
  return latest;
}

function hold(machine: Machine, now: number): void {
  const { state } = machine;
  state.stage = 'held';
  state.waiting = false;
  state.keptSince = undefined;
  machine.promise({ kind: 'granted', token: state.token, until: heldUntil(machine, now) });
  machine.each((part, member) => part.call === undefined && machine.lengthen(part, member));
}

/**
 * Too few members answer. Votes go back; a place, and what is unknown, stay until core repeats or
 * releases.
 */
function fail(machine: Machine): void {
  machine.each((part, member) => part.token !== undefined && part.call === undefined && machine.giveBack(member, true));
  machine.answerLater({ kind: 'unavailable' });
}
