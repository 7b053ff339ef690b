import type { Claim } from '../../contract.ts';
import { decideRelease, isFreedFirst, waitsForLate } from './decisions.ts';
import type { Releases } from './decisions.ts';
import { combinedError } from '../members/member-errors.ts';
import type { Quorum } from '../members/member-errors.ts';
import type { Member } from '../members/member.ts';

/** `late`: it is waited for only where the other members are too few. */
type Answer = boolean | Error | 'awaited' | 'late';

/** The members' answers to the release of one claim, until there is one for the composite. */
export class ReleaseRound {
  readonly result: Promise<boolean>;
  readonly #hold: Pick<Releases, 'held' | 'ended'>;
  readonly #quorum: Quorum;
  readonly #claim: Claim;
  /** By member. `undefined`: the member has nothing of the claim. */
  readonly #answers: (Answer | undefined)[];
  #begun = false;
  #patient = true;
  /** It has no result yet. */
  pending = true;
  #resolve!: (freed: boolean) => void;
  #reject!: (error: Error) => void;

  constructor(hold: Pick<Releases, 'held' | 'ended'>, quorum: Quorum, claim: Claim) {
    this.#hold = hold;
    this.#quorum = quorum;
    this.#claim = claim;
    this.#answers = quorum.members.map(() => undefined);
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** One more release is under way. `late`: it goes out after another call. */
  begin(member: Member, late: boolean): void {
    const { need, members } = this.#quorum;
    // Where all are needed, none can be left out.
    const passedOver = member.suspect && need < members.length;
    this.#answers[member.index] = late || passedOver ? 'late' : 'awaited';
  }

  /** The member may have a vote, and is not asked. */
  unknown(member: Member): void {
    this.#answers[member.index] = member.noAnswer(this.#claim.key);
  }

  /** A member timeout has passed. */
  silent(): void {
    this.#answers.forEach((answer, member) => {
      if (answer === 'awaited') this.#answers[member] = 'late';
    });
    this.#settle();
  }

  /** A member answered. */
  answered(member: Member, answer: boolean | Error): void {
    this.#answers[member.index] = answer;
    this.#settle();
  }

  /** All releases are under way. */
  begun(): void {
    this.#begun = true;
    this.#settle();
  }

  /** It has lasted long enough: no late member is waited for any more. */
  expired(): void {
    this.#patient = false;
    this.#settle();
  }

  #settle(): void {
    if (!this.pending || !this.#begun || this.#waits()) return;
    const { need } = this.#quorum;
    const releases = this.#count();
    if (this.#patient && waitsForLate(releases, need)) return;
    const decision = decideRelease(releases, need);
    this.pending = false;
    if (decision === undefined) this.#reject(this.#error());
    else this.#resolve(decision);
  }

  /** Whether an answer that is awaited may matter. */
  #waits(): boolean {
    return this.#answers.includes('awaited') && !isFreedFirst(this.#answers, this.#quorum.need);
  }

  #count(): Releases {
    const first = freedBy(this.#answers[0]);
    const releases: Releases = { ...this.#hold, first, freed: 0, denied: 0, without: 0, late: 0, unknown: 0 };
    for (const answer of this.#answers) {
      if (answer === true) releases.freed += 1;
      else if (answer === false) releases.denied += 1;
      else if (answer === undefined) releases.without += 1;
      else releases.unknown += 1;
      if (answer === 'late') releases.late += 1;
    }
    return releases;
  }

  #error(): Error {
    const { key } = this.#claim;
    const failures = this.#quorum.members.flatMap((member) => {
      const answer = this.#answers[member.index];
      if (answer === undefined || typeof answer === 'boolean') return [];
      return answer instanceof Error ? member.name(answer, key) : member.noAnswer(key);
    });
    return combinedError(this.#quorum, failures, key);
  }
}

function freedBy(answer: Answer | undefined): boolean | undefined {
  if (answer === undefined) return false;
  return typeof answer === 'boolean' ? answer : undefined;
}
