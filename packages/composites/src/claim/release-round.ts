import type { Claim } from '@locks/core';
import { decideRelease, isFreedFirst, waitsForLate } from './decisions.ts';
import type { Freed, Released } from './decisions.ts';
import { combinedError } from '../members/member-errors.ts';
import type { MembersHost } from '../members/member-states.ts';
import type { Member } from '../members/member.ts';
import type { Wait } from '../members/silences.ts';

/** Collects the members' answers to the release of one claim, until the composite has one. */
export class ReleaseRound {
  readonly result: Promise<boolean>;
  readonly #released: Released;
  readonly #host: MembersHost;
  readonly #claim: Claim;
  /** By member. */
  readonly #answers: Freed[];
  /** Since all releases are in flight. */
  #wait: Wait | undefined = undefined;
  /** Late members are awaited. */
  #patient = true;
  /** It has no result yet. */
  pending = true;
  #resolve!: (freed: boolean) => void;
  #reject!: (error: Error) => void;

  constructor(released: Released, host: MembersHost, claim: Claim) {
    this.#released = released;
    this.#host = host;
    this.#claim = claim;
    this.#answers = host.members.map(() => undefined);
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** One more release is in flight. `late`: another call of its member comes first. */
  begin(member: Member, late: boolean): void {
    const { need, members } = this.#host;
    // If all are needed, none can be skipped.
    const passedOver = member.suspect && need < members.length;
    this.#answers[member.index] = late || passedOver ? 'late' : 'awaited';
  }

  /** A member answered. */
  answered(member: Member, answer: boolean | Error): void {
    this.#answers[member.index] = answer;
    this.#settle();
  }

  /** All releases are in flight. */
  begun(): void {
    const { silences, timeout } = this.#host;
    const silent = (): void => {
      for (const { index } of this.#host.members) if (this.#answers[index] === 'awaited') this.#answers[index] = 'late';
      this.#settle();
    };
    const expired = (): void => {
      this.#patient = false;
      this.#settle();
    };
    this.#wait = silences.begin(silent, expired, timeout);
    this.#settle();
  }

  #settle(): void {
    const { need, silences } = this.#host;
    if (!this.pending || this.#wait === undefined) return;
    // Only an answer that may matter is awaited.
    if (this.#answers.includes('awaited') && !isFreedFirst(this.#answers, need)) return;
    if (this.#patient && waitsForLate(this.#released, this.#answers, need)) return;
    const decision = decideRelease(this.#released, this.#answers, need);
    this.pending = false;
    silences.end(this.#wait);
    if (decision === undefined) this.#reject(this.#error());
    else this.#resolve(decision);
  }

  #error(): Error {
    const { key } = this.#claim;
    const failures = this.#host.members.flatMap((member) => {
      const answer = this.#answers[member.index];
      if (answer === undefined || typeof answer === 'boolean') return [];
      return answer instanceof Error ? member.name(answer, key) : member.noAnswer(key);
    });
    return combinedError(this.#host, failures, key);
  }
}
