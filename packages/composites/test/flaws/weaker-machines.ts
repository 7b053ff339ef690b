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
    waiting('member > queue ? call === undefined : member !== queue && inQueue,', 'false,'),
    machine('return call === undefined && !kept && (token !== undefined || (inQueue && waiting));', 'return false;'),
  ],
  keepsAllVotes: [
    waiting(
      '({ member, call, inQueue }) => member > queue ? call === undefined : member !== queue && inQueue,',
      '({ member, call, inQueue, token }) => member !== queue && inQueue && call === undefined && token === undefined,',
    ),
    machine('token !== undefined ? member < queue : member === queue', 'token !== undefined || member === queue'),
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
      'state.token = highestToken(votes);',
      'state.token = state.floor === undefined ? highestToken(votes) : state.floor + 1n;',
    ),
  ],
  ownerTwice: [calls('= emptyPart(part.member, part);', '= { ...emptyPart(part.member, part), number: part.number };')],
  freesWhatWasPromised: [calls('if (!refused && part.token !== undefined && this.keepsPromise) return;', '')],
  validFromTheReply: [
    answers(
      'part.since = part.sentAt; part.until = part.sentAt + answer.validity;',
      'part.since = machine.world.now(); part.until = part.since + answer.validity;',
    ),
  ],
} as const satisfies Readonly<Record<string, readonly Flaw[]>>;
