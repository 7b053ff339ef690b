import type { Claim } from '../../contract.ts';
import { decideRelease, isFreedFirst, waitsForLate } from './decisions.ts';
import type { Freed, Released } from './decisions.ts';
import { combinedError } from '../members/member-errors.ts';
import type { Quorum } from '../members/member-errors.ts';
import type { Member } from '../members/member.ts';

/** The members' answers to the release of one claim, until there is one for the composite. */
export class ReleaseRound {
  readonly result: Promise<boolean>;
  readonly #released: Released;
  readonly #quorum: Quorum;
  readonly #claim: Claim;
  /** By member. */
  readonly #answers: Freed[];
  #begun = false;
  #patient = true;
  /** It has no result yet. */
  pending = true;
  #resolve!: (freed: boolean) => void;
  #reject!: (error: Error) => void;

  constructor(released: Released, quorum: Quorum, claim: Claim) {
    this.#released = released;
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
    if (this.#patient && waitsForLate(this.#released, this.#answers, need)) return;
    const decision = decideRelease(this.#released, this.#answers, need);
    this.pending = false;
    if (decision === undefined) this.#reject(this.#error());
    else this.#resolve(decision);
  }

  /** Whether an answer that is awaited may matter. */
  #waits(): boolean {
    return this.#answers.includes('awaited') && !isFreedFirst(this.#answers, this.#quorum.need);
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
