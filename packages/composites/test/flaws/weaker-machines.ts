import type { Flaw } from './flawed-module.ts';

const sound = 'const known = count(votes, (part) => part.token === token);';

function machine(find: string, replace: string): Flaw {
  return { file: 'machine.ts', find, replace };
}

function waiting(find: string, replace: string): Flaw {
  return { file: 'wait-in-queue.ts', find, replace };
}

function answers(find: string, replace: string): Flaw {
  return { file: 'answers.ts', find, replace };
}

function calls(find: string, replace: string): Flaw {
  return { file: 'machine.ts', find, replace };
}

function attempt(find: string, replace: string): Flaw {
  return { file: 'attempt.ts', find, replace };
}

function decisions(find: string, replace: string): Flaw {
  return { file: 'decisions.ts', find, replace };
}

/** Machines that look right, each without one rule. */
export const weaker = {
  placeInEveryQueue: [
    calls(`inQueue ? 'ask in the queue' : 'ask', above`, `'ask in the queue', above`),
    waiting(
      'if (member > queue ? each.call === undefined : member !== queue && each.inQueue) machine.giveBack(member, true);',
      '',
    ),
    machine('if (!kept && (part.token !== undefined || (part.inQueue && state.waiting))) this.giveBack(member);', ''),
  ],
  keepsAllVotes: [
    waiting(
      'if (member > queue ? each.call === undefined : member !== queue && each.inQueue)',
      'if (member !== queue && each.inQueue && each.call === undefined && each.token === undefined)',
    ),
    machine(
      'part.token !== undefined ? member < state.queue : member === state.queue',
      'part.token !== undefined || member === state.queue',
    ),
  ],
  looksWithoutEnd: [waiting('keeps && now >= (state.lookedAt ?? -Infinity) + looksEvery', 'keeps')],
  trustsAnOldBusy: [waiting('(!part.inQueue || queue !== state.queue)', '!part.inQueue')],
  onePhase: [
    decisions(sound, 'const known = votes.length;'),
    decisions(
      'return isVote(part, now) && part.token !== undefined && (!options.fencing || part.token >= state.token);',
      'return isVote(part, now);',
    ),
  ],
  higherTokenConfirms: [decisions(sound, 'const known = count(votes, (part) => part.token >= token);')],
  tokensAboveTheFloor: [
    decisions(sound, 'const known = count(votes, (part) => part.token >= token);'),
    attempt(
      'state.token = highestToken(state.parts, now);',
      'state.token = state.floor === undefined ? highestToken(state.parts, now) : state.floor + 1n;',
    ),
  ],
  ownerTwice: [calls('= emptyPart(part);', '= { ...emptyPart(part), number: part.number };')],
  freesWhatWasPromised: [
    calls('if (!refused && part.token !== undefined && keepsPromise(this.state, this.world.now())) return;', ''),
  ],
  validFromTheReply: [
    answers(
      'part.since = part.sentAt; part.until = part.sentAt + answer.validity;',
      'part.since = machine.world.now(); part.until = part.since + answer.validity;',
    ),
  ],
} as const satisfies Readonly<Record<string, readonly Flaw[]>>;
