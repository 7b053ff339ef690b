import type { Claim, LockProvider } from '../../contract.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';
import { BackgroundReleases } from '../../locks/release/background-releases.ts';
import { channels } from '../../locks/diagnostics/channels.ts';
import type { MemberMessage } from '../../locks/diagnostics/channels.ts';
import type { Runtime } from '../../time/runtime.ts';

/**
 * A member is slow when it takes so many times as long as another one at the same time. Less makes
 * noise count.
 */
const slowFactor = 10;
/**
 * It is never slow below this, in ms: a container that has used up its share of CPU time stands
 * still for so long. Claims in the line of a suspect member lose their order, so less is no gain.
 */
const neverSlow = 100;
/** So many slow answers one after another make it suspect. Fewer make noise count. */
const slowAnswers = 2;

/** One member of a composite: how fast it answers, and what it must still take back. */
export class Member {
  readonly provider: LockProvider;
  readonly index: number;
  readonly title: string;
  readonly releases: BackgroundReleases;
  readonly #composite: string;
  #suspect = false;
  /** The last call was rejected. */
  #refusing = false;
  #inFlight = 0;
  #slow = 0;
  /** When the last slow answer was noticed. */
  #slowAt = -Infinity;
  /** When the last answer came, and how long it took, in ms. */
  #last = { at: -Infinity, took: Infinity };

  constructor(composite: string, provider: LockProvider, index: number, count: number, runtime: Runtime) {
    this.#composite = composite;
    this.provider = provider;
    this.index = index;
    this.title = memberTitle(index, count, provider.name);
    this.releases = new BackgroundReleases(provider, runtime, false);
  }

  /** It is asked one call at a time, and not waited for. */
  get suspect(): boolean {
    return this.#suspect;
  }

  /** Whether another call may go out. */
  get takesCall(): boolean {
    return !this.#suspect || this.#inFlight === 0;
  }

  /** Whether a call that goes out now is likely to be answered. */
  get answers(): boolean {
    return !this.#suspect && !this.#refusing;
  }

  /** How long its last answer took, in ms. Infinity: none came after `moment`. */
  tookSince(moment: number): number {
    return this.#last.at > moment ? this.#last.took : Infinity;
  }

  begin(): void {
    this.#inFlight += 1;
  }

  /**
   * A call was answered at `at`, after `took` ms. `fastest`: the shortest time of other members
   * that answered meanwhile. What delays this process delays those, too. `late`: the call was told
   * to have no answer in time.
   */
  answered(at: number, took: number, fastest: number, late = false): void {
    this.#inFlight -= 1;
    this.#refusing = false;
    this.#last = { at, took };
    if (late || (took > neverSlow && fastest === Infinity)) return;
    if (took <= Math.max(neverSlow, slowFactor * fastest)) {
      this.#slow = 0;
      this.#suspicion(false);
    } else this.#countSlow(at, took);
  }

  /** A call was rejected. */
  failed(error: unknown): void {
    this.#inFlight -= 1;
    this.#refusing = true;
    // A server that refuses at once costs no time: it is only suspect when it was silent.
    if (!isLockError(error)) this.#suspicion(true, error);
  }

  /** A release in the background was answered, or rejected. */
  released(answer: boolean | Error): void {
    this.#refusing = answer instanceof Error;
  }

  /**
   * A call has no answer within `timeout` ms, at `at`. `fastest`: as in `answered`. Where the
   * others took long too, it counts as a slow answer.
   */
  silent(at: number, timeout: number, fastest = 0): void {
    const together = fastest < Infinity && fastest > timeout / 2;
    this.#countSlow(at, timeout);
    if (!together) this.#suspicion(true);
  }

  /** `error`, with the member's name. */
  name(error: unknown, key: string): LockError {
    return memberError(this.title, error, { key });
  }

  /** For a call that it has not answered in time. */
  noAnswer(key: string): LockError {
    return this.name(new Error('no answer in time.'), key);
  }

  /** Calls that were under way at the same time may have had one delay: they count as one. */
  #countSlow(at: number, took: number): void {
    if (at - took < this.#slowAt) return;
    this.#slowAt = at;
    this.#slow += 1;
    if (this.#slow >= slowAnswers) this.#suspicion(true);
  }

  #suspicion(suspect: boolean, error?: unknown): void {
    if (this.#suspect === suspect) return;
    this.#suspect = suspect;
    publishMember({ provider: this.#composite, member: this.title, index: this.index, suspect }, error);
  }
}

/** A member as messages name it: "member 2 of 3 (redis)". */
export function memberTitle(index: number, count: number, name: string | undefined): string {
  return `member ${index + 1} of ${count}${name === undefined ? '' : ` (${name})`}`;
}

/** `error`, with the member's title before its message. A foreign error is `LOCK_UNAVAILABLE`. */
export function memberError(title: string, error: unknown, options: { readonly key?: string } = {}): LockError {
  const code = isLockError(error) ? error.code : 'LOCK_UNAVAILABLE';
  const text = error instanceof Error ? error.message : String(error);
  return new LockError(code, `${title}: ${text}`, { ...options, cause: error });
}

/** Tells those who listen to `locks:member`. */
export function publishMember(message: MemberMessage, error: unknown): void {
  if (channels.member.hasSubscribers) channels.member.publish(error === undefined ? message : { ...message, error });
}

/** The owner that a member sees. */
export function memberOwner(owner: string, number: number): string {
  return `${owner}~${number.toString(36)}`;
}

/** The owner without what a composite added. An owner of another library may be any text. */
export function outerOwner(owner: string): string {
  const end = /~[0-9a-z]{1,12}$/.exec(owner)?.index;
  return end === undefined ? owner : owner.slice(0, end);
}

export function memberClaim(claim: Claim, owner: string, floor: bigint | undefined): Claim {
  return floor === undefined || (claim.floor !== undefined && claim.floor >= floor)
    ? { ...claim, owner }
    : { ...claim, owner, floor };
}
