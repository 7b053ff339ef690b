import { lowestBusy } from './decisions.ts';
import type { Machine } from './machine.ts';
import { isVote } from './part.ts';
import type { Part } from './part.ts';

/**
 * Votes kept by a waiting claim end after so many ms, or the ttl. Longer delays claims whose
 * members have another order.
 */
const longestKept = 10_000;
/**
 * Without wakes a waiting claim asks again after a random time up to this, in ms. Less asks more
 * often, more leaves a free key unused.
 */
const longestPoll = 50;
/**
 * How long a claim with the vote of its line waits for another member, in ms. More delays the
 * answer to a claim that must wait.
 */
const pause = 20;
/**
 * A waiting claim that keeps votes looks once in so many ms whether another one holds the key. Less
 * costs more calls, more keeps a holder longer from a member that came back.
 */
const looksEvery = 1_000;
/** Waiting claims that keep votes repeat so often in the time that those last. */
const repeatsPerVote = 3;

/** The claim is too late: it waits in the line of the lowest busy member, or ends. */
export function waitInLine(machine: Machine, now: number): void {
  const { options, state, world } = machine;
  const line = lowestBusy(state.parts);
  const part = machine.part(line);
  if (!state.waits) {
    state.waiting = false;
    machine.each((_, member) => machine.giveBack(member, true));
    machine.answerLater({ kind: 'busy', retryAfter: part.retryAfter });
    return;
  }
  machine.each((each, member) => {
    if (member > line ? each.call === undefined : member !== line && each.inLine) machine.giveBack(member, true);
  });
  if ((!part.inLine || line !== state.line) && state.moves < options.members) {
    state.moves += 1;
    state.line = line;
    state.askedAll = false;
    // Claims that leave may leave the members one after the other.
    state.paused = false;
    part.heard = undefined;
    machine.ask(line, true, true);
    return;
  }
  state.waiting = true;
  state.line = line;
  const keeps = state.parts.some((each, member) => member < line && isVote(each, now));
  if (!state.paused && part.inLine && keeps) {
    state.paused = true;
    state.stage = 'pausing';
    world.pause(pause);
    return;
  }
  if (keeps && now >= (state.lookedAt ?? -Infinity) + looksEvery) {
    state.lookedAt = now;
    world.look();
  }
  machine.answerLater({ kind: 'busy', retryAfter: untilRepeat(machine, part, now) });
}

/**
 * When core asks again, in ms: in time for the place, for the votes kept, and for members without
 * wakes.
 */
function untilRepeat(machine: Machine, line: Part, now: number): number | undefined {
  const { options, state, world } = machine;
  const { wake } = options;
  const ttl = Math.min(options.ttl, options.place);
  const poll = world.random() * longestPoll;
  if (!state.parts.some(({ token }) => token !== undefined)) {
    state.keptSince = undefined;
    return wake && line.inLine ? line.retryAfter : poll;
  }
  state.keptSince ??= now;
  if (now - state.keptSince > Math.min(options.ttl, longestKept) * (0.5 + world.random() / 2)) {
    // Where members have another order elsewhere, two claims may wait for each other.
    state.keptSince = undefined;
    machine.each((part, member) => part.token !== undefined && machine.giveBack(member, true));
  } else machine.each((part, member) => machine.shorten(part, member));
  return wake && line.inLine ? Math.min(line.retryAfter ?? Infinity, ttl / repeatsPerVote) : poll;
}
