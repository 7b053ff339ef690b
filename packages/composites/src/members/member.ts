import type { LockProvider } from '@locks/core';
import { LockError, errorText, isLockError } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { BackgroundReleases } from '@locks/core/composite';
import { LateMember } from './late-member.ts';
import type { MemberCall } from './member-answers.ts';
import { MemberHealth } from './member-health.ts';
import type { SentCall } from './member-health.ts';

/**
 * A member is slow if it takes this many times as long as another one at the same time. With less,
 * noise counts.
 */
const slowFactor = 10;
/**
 * In ms: no member is slow below this, as a container that has used up its CPU share pauses this
 * long. Claims in the queue of a suspect member lose their order, so less is no gain.
 */
const neverSlow = 100;
/** How many successive slow answers make a member suspect. With fewer, noise counts. */
const slowAnswers = 2;
/**
 * In ms: a member that is suspect again within this time is trusted later. A longer time relates
 * independent problems.
 */
const relapse = 60_000;
/**
 * In ms: how long a suspect member must be prompt to be trusted, doubled after each relapse. With
 * less, processes that see an unsteady member differently wait in different queues more often. With
 * more, claims avoid the queue of a recovered member for longer.
 */
const shortestTrial = 1_000;
const longestTrial = 60_000;

/** One member of a composite: how fast it answers, and what it must still take back. */
export class Member {
  readonly provider: LockProvider;
  readonly index: number;
  readonly title: string;
  readonly releases: BackgroundReleases;
  /** Its last answer was slow, and no other member was asked at the time. */
  unclear = false;
  readonly #health: MemberHealth;
  /** Why the last call was rejected. */
  #refusal: unknown = undefined;
  #returned: (() => void) | undefined = undefined;
  #inFlight = 0;
  #slow = 0;
  /** When the last slow answer was noticed. */
  #slowAt = -Infinity;
  /** How long it must be prompt to be trusted, in ms. */
  #trial = 0;
  #trustedAt = -Infinity;
  /** When the last answer came, and how long it took, in ms. */
  #last = { at: -Infinity, took: Infinity };
  /** The same of the last answer that took longer than `neverSlow`. */
  #lastLate = { at: -Infinity, took: Infinity };

  constructor(composite: string, provider: LockProvider, index: number, title: string, runtime: Runtime) {
    this.provider = provider;
    this.index = index;
    this.title = title;
    this.releases = new BackgroundReleases(provider, runtime, false);
    this.#health = new MemberHealth({
      about: { provider: composite, member: title, index },
      outage: () => provider.outage?.(),
      runtime,
    });
    if (provider instanceof LateMember) provider.follow((reason) => this.#health.opened(reason));
  }

  /** It is asked one call at a time, and not awaited. */
  get suspect(): boolean {
    return this.#health.suspicion !== undefined;
  }

  /** Whether another call may be sent. */
  get takesCall(): boolean {
    return !this.suspect || this.#inFlight === 0;
  }

  /** Whether a call sent now is likely to be answered. */
  get answers(): boolean {
    return !this.suspect && this.#refusal === undefined && this.provider.outage?.() === undefined;
  }

  /** Why it is not. */
  get trouble(): unknown {
    return this.provider.outage?.() ?? this.#refusal ?? new Error('it does not answer in time.');
  }

  /** How long its last answer took, in ms. Infinity: none came after `moment`. */
  tookSince(moment: number): number {
    return this.#last.at > moment ? this.#last.took : Infinity;
  }

  /**
   * Whether a call sent at `sentAt` is behind earlier ones of this process, of which one was
   * answered after `moment`. Such a burst is no silence: claims that turn to other members would
   * prolong it, for ever if there are thousands.
   */
  answersBefore(sentAt: number, moment: number): boolean {
    const { at, took } = this.#lastLate;
    return at > moment && at - took <= sentAt;
  }

  begin(call: MemberCall = 'ask'): SentCall {
    this.#inFlight += 1;
    return this.#health.sent(call);
  }

  /** Any answer came at `at`, after `took` ms. */
  heard(at: number, took: number): void {
    this.#last = { at, took };
    if (took > neverSlow) this.#lastLate = this.#last;
  }

  /**
   * The call `sent` was answered at `at`, after `took` ms. `fastest`: the shortest time of other
   * members that answered meanwhile. A delay of this process delays those, too. `late`: the call
   * was reported as unanswered.
   */
  answered(sent: SentCall, at: number, took: number, fastest: () => number, late = false): void {
    this.#inFlight -= 1;
    this.heard(at, took);
    const least = took > neverSlow ? fastest() : 0;
    this.unclear = !late && least === Infinity;
    const judged = !late && !this.unclear;
    const prompt = judged && took <= Math.max(neverSlow, slowFactor * least);
    if (prompt) this.#slow = 0;
    else if (judged) this.#countSlow(at, took);
    const { suspect } = this;
    this.#health.answered(sent, prompt && at - this.#slowAt >= this.#trial);
    if (suspect && !this.suspect) this.#trustedAt = at;
    if (this.#refusal !== undefined) this.#returns();
  }

  /** The call `sent` was rejected. `late`: as in `answered`. */
  failed(sent: SentCall, error: unknown, late = false): void {
    this.#inFlight -= 1;
    this.#refusal = error;
    // It concerns the claim, or only says that the member was silent.
    if (late || isLockError(error, 'LOCK_INVALID')) return;
    // An immediate refusal costs no time: the member is suspect only if it was silent.
    this.#health.refused(sent, error, !isLockError(error));
  }

  /** A release in the background was answered, or rejected. */
  released(answer: boolean | Error): void {
    if (answer instanceof Error) this.#refusal = answer;
    else if (this.#refusal !== undefined) this.#returns();
  }

  /** Calls `returned` whenever it answers a call after it rejected one. */
  onReturn(returned: () => void): void {
    this.#returned = returned;
  }

  /**
   * A call has no answer within `timeout` ms, at `at`. `fastest`: as in `answered`. If the others
   * were slow, too, it counts as a slow answer.
   */
  silent(at: number, timeout: number, fastest = 0): void {
    const together = fastest < Infinity && fastest > timeout / 2;
    this.#countSlow(at, timeout);
    if (!together) this.#suspected('silent', at);
  }

  /** Its composite closes: later results do not affect its state. */
  closing(): void {
    this.#health.end();
  }

  /** `error`, with the member's name. */
  name(error: unknown, key: string): LockError {
    return memberError(this.title, error, { key });
  }

  /** For a call that was not answered in time. */
  noAnswer(key: string): LockError {
    return this.name(new Error('no answer in time.'), key);
  }

  #returns(): void {
    this.#refusal = undefined;
    this.#returned?.();
  }

  /** Simultaneous calls may share one delay: they count once. */
  #countSlow(at: number, took: number): void {
    if (at - took < this.#slowAt) return;
    this.#slowAt = at;
    this.#slow += 1;
    if (this.#slow >= slowAnswers) this.#suspected('slow', at);
  }

  #suspected(how: 'slow' | 'silent', at: number): void {
    if (!this.suspect) {
      const longer = Math.min(Math.max(shortestTrial, 2 * this.#trial), longestTrial);
      this.#trial = at - this.#trustedAt < relapse ? longer : 0;
    }
    this.#health.suspected(how);
  }
}

/** A member's name in messages: "member 2 of 3 (redis)". */
export function memberTitle(index: number, count: number, name: string | undefined): string {
  return `member ${index + 1} of ${count}${name === undefined ? '' : ` (${name})`}`;
}

/**
 * `error`, with the member's title before its message. A foreign error becomes `LOCK_UNAVAILABLE`.
 */
export function memberError(title: string, error: unknown, options: { readonly key?: string } = {}): LockError {
  const { code, retryAfter } = isLockError(error) ? error : ({ code: 'LOCK_UNAVAILABLE' } as const);
  return new LockError(code, `${title}: ${errorText(error)}`, { ...options, cause: error, retryAfter });
}

/** The owner that a member sees. */
export function memberOwner(owner: string, number: number): string {
  return `${owner}~${number.toString(36)}`;
}

/** The owner without the composite's suffix. An owner of another library may be any text. */
export function outerOwner(owner: string): string {
  const end = /~[0-9a-z]{1,12}$/.exec(owner)?.index;
  return end === undefined ? owner : owner.slice(0, end);
}
