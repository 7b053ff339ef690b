import { flawIn } from './flawed-module.ts';
import type { Flaw } from './flawed-module.ts';

const sound = 'const known = count(votes, (part) => part.token === token);';

const machine = flawIn('machine.ts');
const waiting = flawIn('wait-in-queue.ts');
const answers = flawIn('answers.ts');
const attempt = flawIn('attempt.ts');
const decisions = flawIn('decisions.ts');

/** Machines that look right, each without one rule. */
export const weaker = {
  placeInEveryQueue: [
    machine(`inQueue ? 'ask in the queue' : 'ask', above`, `'ask in the queue', above`),
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
    decisions('return token !== undefined && (!options.fencing || token >= state.token);', 'return true;'),
  ],
  higherTokenConfirms: [decisions(sound, 'const known = count(votes, (part) => part.token >= token);')],
  tokensAboveTheFloor: [
    decisions(sound, 'const known = count(votes, (part) => part.token >= token);'),
    attempt(
      'state.token = highestToken(votes);',
      'state.token = state.floor === undefined ? highestToken(votes) : state.floor + 1n;',
    ),
  ],
  ownerTwice: [
    machine('= emptyPart(part.member, part);', '= { ...emptyPart(part.member, part), number: part.number };'),
  ],
  freesWhatWasPromised: [machine('if (!refused && part.token !== undefined && this.keepsPromise) return;', '')],
  validFromTheReply: [
    answers(
      'part.since = part.sentAt; part.until = part.sentAt + answer.validity;',
      'part.since = machine.world.now(); part.until = part.since + answer.validity;',
    ),
  ],
} as const satisfies Readonly<Record<string, readonly Flaw[]>>;
