import { isPending, isUnasked, isUnderWay, isUnraised, isVote } from './part.ts';
import type { Machine } from './machine.ts';
import type { Part } from './part.ts';

/**
 * The next step of an attempt. `ask queue`: asks the member of the queue. `ask others`: also the
 * others. `ask spared`: also suspect members that were skipped because of a call in flight. `busy`:
 * returns what is above the lowest busy member, and waits there. `unavailable`: too few members
 * answer.
 */
export type AttemptStep = 'wait' | 'ask queue' | 'ask others' | 'ask spared' | 'confirm' | 'busy' | 'unavailable';

/** The lowest member that answered busy. -1: none. */
export function lowestBusy(parts: readonly Part[]): number {
  return parts.findIndex(({ heard }) => heard === 'busy');
}

/**
 * The member in whose queue a claim waits: where it has its position, else the first one. Members
 * that failed, are late or suspect are skipped if there are others. If all are suspect, one that is
 * not late comes first: it may have answered already.
 */
export function chooseQueue(parts: readonly Part[], isSuspect: (member: number) => boolean): number {
  const answers = (part: Part): boolean => part.heard !== 'failed' && !part.late;
  const usable = (part: Part, member: number): boolean => answers(part) && !isSuspect(member);
  const placed = parts.findIndex((part, member) => part.inQueue && usable(part, member));
  if (placed !== -1) return placed;
  const first = parts.findIndex(usable);
  if (first !== -1) return first;
  const prompt = parts.findIndex(answers);
  return prompt !== -1 ? prompt : parts.findIndex(({ heard }) => heard !== 'failed');
}

/**
 * The next step of an attempt. Ordered queues: nothing is granted past a busy member of the queue,
 * and a claim waits only above all the votes that it keeps. So claims cannot wait for each other in
 * a circle.
 */
export function decideAttempt({ options: { need }, state }: Machine, now: number): AttemptStep {
  const { parts, queue, askedAll, patient } = state;
  const head = parts[queue];
  if (head === undefined) return 'unavailable';
  if (head.heard === 'busy') return 'busy';
  if (head.heard === undefined) {
    if (head.call === undefined) return 'ask queue';
    return head.late && !patient ? 'unavailable' : 'wait';
  }
  if (!askedAll) return 'ask others';
  let votes = 0;
  for (const part of parts) if (isVote(part, now)) votes += 1;
  if (votes >= need) return 'confirm';
  if (votes + count(parts, isPending) >= need) return 'wait';
  const busy = count(parts, ({ heard }) => heard === 'busy');
  if (votes + busy >= need) return 'busy';
  if (!patient) return 'unavailable';
  // Before it waits for a late member: that one may never answer.
  if (parts.some((part) => isUnasked(part, now))) return 'ask spared';
  // An answer in flight may be busy, too: that is no outage.
  return votes + busy + count(parts, isUnderWay) >= need ? 'wait' : 'unavailable';
}

function count(parts: readonly Part[], isSo: (part: Part) => boolean): number {
  let found = 0;
  for (const part of parts) if (isSo(part)) found += 1;
  return found;
}

export function highestToken(votes: readonly Part[]): bigint {
  let highest = 0n;
  for (const { token = 0n } of votes) if (token > highest) highest = token;
  return highest;
}

/** Whether the member's vote has the claim's token, or a higher one. */
function knowsToken({ options, state }: Machine, { token }: Part): boolean {
  return token !== undefined && (!options.fencing || token >= state.token);
}

/**
 * Whether the members know the claim's token: the second phase of protocol 1. Each later majority
 * then includes a member that returns a higher one. A vote with a higher token does not count, as
 * its member may have had another holder since the claim's token was chosen. `again`: that vote is
 * needed, perhaps because a late member does not answer, so its token becomes the claim's. `raise
 * spared`: sends the token to suspect members that were skipped.
 */
export function decideConfirmation(
  { options: { need }, state: { parts, token, patient } }: Machine,
  now: number,
): 'wait' | 'held' | 'again' | 'raise spared' | 'unavailable' {
  const votes = parts.filter((part) => isVote(part, now));
  const known = count(votes, (part) => part.token === token);
  if (known >= need) return 'held';
  const underWay = (awaited: (part: Part) => boolean): number =>
    count(parts, (part) => awaited(part) && !(isVote(part, now) && part.token === token));
  if (known + underWay(isPending) >= need) return 'wait';
  if (votes.length >= need && highestToken(votes) > token) return 'again';
  if (!patient) return 'unavailable';
  if (parts.some((part) => isUnraised(part, token, now))) return 'raise spared';
  return known + underWay(isUnderWay) >= need ? 'wait' : 'unavailable';
}

/**
 * The outcome of a renewal. `over`: `need` members renewed their votes, which have expired since.
 * `lost`: so many members report no vote that `need` cannot be reached.
 */
export function decideRenewal(machine: Machine, now: number): 'wait' | 'renewed' | 'over' | 'lost' | 'unavailable' {
  const { need } = machine.options;
  const { parts, patient } = machine.state;
  const isRenewed = (part: Part): boolean => part.heard === 'granted' && knowsToken(machine, part);
  if (count(parts, (part) => isRenewed(part) && isVote(part, now)) >= need) return 'renewed';
  if (count(parts, isRenewed) >= need) return 'over';
  const possible = count(parts, (part) => isRenewed(part) || isVote(part, now) || isUnderWay(part));
  if (possible < need) return 'lost';
  const waited = patient ? isUnderWay : isPending;
  return parts.some(waited) ? 'wait' : 'unavailable';
}

/** When fewer than `need` votes are left: the `need`-th latest end of those that know the token. */
export function heldUntil(machine: Machine, now: number): number {
  const { options, state } = machine;
  const known = state.parts.filter((part) => isVote(part, now) && knowsToken(machine, part));
  const ends = known.map(({ until }) => until).toSorted((left, right) => right - left);
  return Math.max(now, ends[options.need - 1] ?? now);
}

/**
 * A member's answer to a release: whether it freed something, or why that is unknown. `late`: it is
 * awaited only if the others are too few. `undefined`: it has nothing of the claim.
 */
export type Freed = boolean | Error | 'awaited' | 'late' | undefined;

export interface Released {
  readonly held: boolean;
  /** By the clock of this process its hold has ended. */
  readonly ended: boolean;
}

function isUnknown(answer: Freed): boolean {
  return answer !== undefined && typeof answer !== 'boolean';
}

/**
 * Whether a release waits for late members. A later call must see its effect, so `need` members
 * must be without the claim. It also waits if its answer is unknown otherwise.
 */
export function waitsForLate(released: Released, answers: readonly Freed[], need: number): boolean {
  if (!answers.includes('late')) return false;
  const late = answers.filter((answer) => answer === 'late').length;
  const clear = answers.filter((answer) => !isUnknown(answer)).length;
  return (clear < need && clear + late >= need) || decideRelease(released, answers, need) === undefined;
}

/**
 * Whether a release has freed the first `need` members, and can be answered. A later call gets
 * their votes. With other members, the queue that it asks first may still be busy.
 */
export function isFreedFirst(answers: readonly Freed[], need: number): boolean {
  return answers.every((answer, member) => answer === true || member >= need);
}

/**
 * Whether a release freed the hold. `undefined`: unknown. The votes of a hold end at slightly
 * different times. Once it has ended, a remaining one is no hold.
 *
 * Several processes may release one hold, and each frees some votes. The one that freed `need` gets
 * `true`. If none did, it is the one that freed the first member's, and so many that no other claim
 * can have had `need`.
 */
export function decideRelease(released: Released, answers: readonly Freed[], need: number): boolean | undefined {
  const { held, ended } = released;
  const [first] = answers;
  const excluding = answers.length - need + 1;
  if (!held) return false;
  let freed = 0;
  for (const answer of answers) if (answer === true) freed += 1;
  if (freed >= need || (freed > 0 && !answers.includes(false))) return true;
  if (ended) return false;
  if (first === true && freed >= excluding) return true;
  const most = freed + answers.filter(isUnknown).length;
  return most >= need || ((first === true || isUnknown(first)) && most >= excluding) ? undefined : false;
}
