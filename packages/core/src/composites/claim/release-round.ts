import type { Claim } from '../../contract.ts';
import { decideRelease, waitsForLate } from './decisions.ts';
import { combinedError } from '../members/member-errors.ts';
import type { Quorum } from '../members/member-errors.ts';
import type { Member } from '../members/member.ts';

/** `late`: it is waited for only where the other members are too few. */
type Answer = boolean | Error | 'awaited' | 'late';

/** The members' answers to the release of one claim, until there is one for the composite. */
export class ReleaseRound {
  readonly result: Promise<boolean>;
  readonly #held: boolean;
  readonly #quorum: Quorum;
  readonly #claim: Claim;
  readonly #answers = new Map<Member, Answer>();
  #begun = false;
  #patient = true;
  /** It has no result yet. */
  pending = true;
  #resolve!: (freed: boolean) => void;
  #reject!: (error: Error) => void;

  /** `held`: the claim had enough votes. */
  constructor(held: boolean, quorum: Quorum, claim: Claim) {
    this.#held = held;
    this.#quorum = quorum;
    this.#claim = claim;
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
    this.#answers.set(member, late || passedOver ? 'late' : 'awaited');
  }

  /** A member has not answered in time. */
  silent(member: Member): void {
    this.#answers.set(member, 'late');
    this.#settle();
  }

  /** A member answered. */
  answered(member: Member, answer: boolean | Error): void {
    this.#answers.set(member, answer);
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
    const answers = [...this.#answers.values()];
    if (!this.pending || !this.#begun || answers.includes('awaited')) return;
    const freed = answers.filter((answer) => answer === true).length;
    const denied = answers.filter((answer) => answer === false).length;
    const late = answers.filter((answer) => answer === 'late').length;
    const unknown = answers.length - freed - denied;
    const { need, members } = this.#quorum;
    const releases = { held: this.#held, freed, denied, unknown };
    if (this.#patient && waitsForLate({ ...releases, late, without: members.length - answers.length }, need)) return;
    const decision = decideRelease(releases, need);
    this.pending = false;
    if (decision === undefined) this.#reject(this.#error());
    else this.#resolve(decision);
  }

  #error(): Error {
    const { key } = this.#claim;
    const failures = [...this.#answers].flatMap(([member, answer]) => {
      if (typeof answer === 'boolean') return [];
      return answer instanceof Error ? member.name(answer, key) : member.noAnswer(key);
    });
    return combinedError(this.#quorum, failures, key);
  }
}
