import type { Busy, Claim, Grant, Holder, Renewal } from '../../contract.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import { isAnswer, isRenewal } from '../lease/answers.ts';
import { certain } from '../lease/validity.ts';
import type { HandOffHost } from './hand-off-host.ts';

/** Where numbers end, and with them tokens. */
const tokensEnd = 2n ** 53n;

/**
 * A hold in the store that claims of this process have one after another, each with a token of its
 * own. The store knows the first of these claims alone.
 */
export class LocalHold implements TimerEntry {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  /** The owner of the claim that has it now. */
  owner: string;
  token: bigint;
  /** Whether an attempt of the present claim was answered with the grant. */
  told = true;
  /** The release of the present claim, while it is under way. */
  releasing: Promise<boolean> | undefined = undefined;
  readonly #host: HandOffHost;
  readonly #due: (hold: LocalHold, now: number) => void;
  readonly #lost: AbortSignal | undefined;
  /** The claim that the store knows. */
  #stored: Claim;
  /** No other hold gets a token up to this one. */
  #reserved: bigint;
  #left: number;
  readonly #until: number;
  /** The clock's reading until which the store certainly keeps it. */
  #end: number;
  /** The clock's reading from which the store certainly has nothing of it. */
  #over: number;
  /** Calls about it that are under way, without its release. */
  #calls = 0;

  /** `sentAt`: when the attempt was sent. `due`: called when `isKept` may have changed. */
  constructor(
    host: HandOffHost,
    claim: Claim,
    grant: Grant,
    sentAt: number,
    due: (hold: LocalHold, now: number) => void,
  ) {
    this.#host = host;
    this.#due = due;
    this.#stored = claim;
    this.owner = claim.owner;
    this.token = grant.token;
    this.#reserved = grant.token;
    this.#lost = grant.lost;
    this.#left = host.count;
    const now = host.clock.now();
    this.#until = now + host.ms;
    this.#end = sentAt + certain(grant.validity ?? claim.ttl);
    this.#over = now + claim.ttl;
    host.timers.schedule(this, this.#until);
  }

  /** What the store knows: the owner of the first claim, and the highest token. */
  get stored(): Pick<Holder, 'owner'> & Pick<Grant, 'token'> {
    return { owner: this.#stored.owner, token: this.#reserved };
  }

  knows(owner: string): boolean {
    return owner === this.owner || owner === this.#stored.owner;
  }

  due(now: number): void {
    this.#due(this, now);
  }

  /** Whether calls of its claim need it still. The store knows a claim that was not handed to. */
  isKept(now: number): boolean {
    const handed = this.owner !== this.#stored.owner || this.releasing !== undefined;
    const until = now < this.#until || !handed ? this.#until : this.#over;
    if (now >= until) return false;
    this.#host.timers.schedule(this, until);
    return true;
  }

  /** Whether its next release may hand it on. */
  mayGoOn(now: number): boolean {
    return this.#left > 0 && now < this.#until && this.#lost?.aborted !== true;
  }

  /** Whether it can be handed to `claim`, which must get half of its ttl or more. */
  fits(claim: Claim, now: number): boolean {
    const { ttl } = this.#stored;
    // The first hand-off renews it. A renewal in flight would answer for the claim before.
    const lasts = this.#reserved === this.token || this.#end - now >= ttl / 2;
    return this.mayGoOn(now) && this.#calls === 0 && claim.ttl === ttl && lasts;
  }

  /** Reserves the tokens of all hand-offs. `false`: it must not be handed on. */
  async reserve(): Promise<boolean> {
    if (this.#reserved > this.token) return true;
    const highest = this.token + BigInt(this.#left);
    if (highest >= tokensEnd) return false;
    // After a rejection it is unknown which token the store has.
    const renewal = await this.#extend(this.#stored, highest).catch(() => false);
    if (!isRenewal(renewal) || renewal === false) return false;
    this.#reserved = highest;
    return true;
  }

  /** Gives it to the claim of `owner`, which is about to try. */
  pass(owner: string): void {
    this.owner = owner;
    this.token += 1n;
    this.#left -= 1;
    this.told = false;
    this.releasing = undefined;
  }

  /** From now on it is not handed on. */
  stop(): void {
    this.#left = 0;
  }

  /** The present claim hears of its grant, or repeats its attempt. */
  async attempt(claim: Claim): Promise<Grant | Busy> {
    const { clock, provider } = this.#host;
    if (!this.told) {
      this.told = true;
      const validity = Math.max(0, this.#end - clock.exact());
      return { granted: true, token: this.token, validity, ...(this.#lost && { lost: this.#lost }) };
    }
    if (claim.mode === 'shared') this.stop();
    const sentAt = clock.exact();
    const answer = await this.#counted((stored) => provider.tryAcquire(stored), claim);
    if (!isAnswer(answer) || !answer.granted) return answer;
    this.#end = sentAt + certain(answer.validity ?? claim.ttl);
    if (answer.token === this.#reserved) return { ...answer, token: this.token };
    // The hold had ended, and this is another one.
    this.stop();
    this.token = answer.token;
    this.#reserved = answer.token;
    return answer;
  }

  /** Renews it for the present claim. */
  async renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    if (token === undefined) return await this.#extend(claim, undefined);
    if (token < this.token) return false;
    this.stop();
    const raised = token > this.#reserved ? token : undefined;
    const renewal = await this.#extend(claim, raised);
    if (renewal === false) return false;
    this.token = token;
    this.#reserved = raised ?? this.#reserved;
    return renewal;
  }

  /** Gives it back to the store. `true`: the present claim held it until now. */
  async release({ ttl, mode }: Claim): Promise<boolean> {
    this.stop();
    const { told } = this;
    return (await this.#host.provider.release({ ...this.#stored, ttl, mode })) && told;
  }

  async #extend(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    const { clock, provider } = this.#host;
    const sentAt = clock.exact();
    const renewal = await this.#counted((stored) => provider.renew(stored, token), claim);
    if (renewal === false) this.stop();
    else if (isRenewal(renewal)) this.#end = sentAt + certain(renewal.validity ?? claim.ttl);
    return renewal;
  }

  async #counted<T>(call: (stored: Claim) => Promise<T>, { ttl, mode }: Claim): Promise<T> {
    this.#stored = { ...this.#stored, ttl, mode };
    this.#calls += 1;
    try {
      return await call(this.#stored);
    } finally {
      this.#calls -= 1;
      this.#over = this.#host.clock.now() + ttl;
    }
  }
}
