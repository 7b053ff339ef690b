import { lowestBusy } from './decisions.ts';
import type { Machine } from './machine.ts';
import { isVote } from './part.ts';
import type { Part } from './part.ts';

/**
 * In ms: votes kept by a waiting claim end after this, or the ttl. Longer delays claims whose
 * members have another order.
 */
const longestKept = 10_000;
/**
 * Without wakes a waiting claim retries after a random time up to this, in ms. Less retries more
 * often, more leaves a free key unused.
 */
const longestPoll = 50;
/**
 * How long a claim with the vote of its queue waits for another member, in ms. More delays the
 * answer to a claim that must wait.
 */
const pause = 20;
/**
 * In ms: how often a waiting claim that keeps votes checks whether another one holds the key. Less
 * costs more calls, more keeps a holder longer from a recovered member.
 */
const looksEvery = 1_000;
/** How often waiting claims repeat during the lifetime of kept votes. */
const repeatsPerVote = 3;

/** The claim is too late: it waits in the queue of the lowest busy member, or ends. */
export function waitInQueue(machine: Machine, now: number): void {
  const { options, state, world } = machine;
  const queue = lowestBusy(state.parts);
  const part = machine.part(queue);
  if (!state.waits) {
    state.waiting = false;
    machine.giveBackAll(true);
    machine.answerLater({ kind: 'busy', retryAfter: part.retryAfter });
    return;
  }
  machine.giveBackAll(true, ({ member, call, inQueue }) =>
    member > queue ? call === undefined : member !== queue && inQueue,
  );
  if ((!part.inQueue || queue !== state.queue) && state.moves < options.members) {
    state.moves += 1;
    state.queue = queue;
    state.askedAll = false;
    // Claims that leave may leave the members one after the other.
    state.paused = false;
    part.heard = undefined;
    machine.ask(part, true, true);
    return;
  }
  state.waiting = true;
  state.queue = queue;
  const keeps = state.parts.some((each) => each.member < queue && isVote(each, now));
  if (!state.paused && part.inQueue && keeps) {
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
 * When core retries, in ms: in time for the position, for the kept votes, and for members without
 * wakes.
 */
function untilRepeat(machine: Machine, queue: Part, now: number): number | undefined {
  const { options, state, world } = machine;
  const { wake } = options;
  const ttl = Math.min(options.ttl, options.place);
  const poll = world.random() * longestPoll;
  if (!state.parts.some(({ token }) => token !== undefined)) {
    state.keptSince = undefined;
    return wake && queue.inQueue ? queue.retryAfter : poll;
  }
  state.keptSince ??= now;
  if (now - state.keptSince > Math.min(options.ttl, longestKept) * (0.5 + world.random() / 2)) {
    // If other processes have another order of members, two claims may wait for each other.
    state.keptSince = undefined;
    machine.giveBackAll(true, ({ token }) => token !== undefined);
  } else for (const part of state.parts) machine.shorten(part);
  return wake && queue.inQueue ? Math.min(queue.retryAfter ?? Infinity, ttl / repeatsPerVote) : poll;
}
