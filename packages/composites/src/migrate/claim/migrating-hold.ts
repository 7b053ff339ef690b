import type { Claim, Grant, Renewal } from '@locks/core';
import type { MemberHold } from '../../members/key-states.ts';
import { callMember } from '../../members/member-answers.ts';
import { Sessions } from '../../members/sessions.ts';
import { ofBoth, renewalStep } from '../decisions.ts';
import type { Scope } from '../decisions.ts';
import { ends } from '../phase.ts';
import type { End } from '../phase.ts';
import { EndClaim } from './end-claim.ts';
import { LeaseSpan } from './lease-span.ts';
import type { MigrationHost } from './migration-host.ts';
import { takeOtherStore } from './take-other-store.ts';

/** One session counts: that of the store it is held in, or of both as one. */
const theSession = 0;

/** What the stores have of a claim, and how long core counts on it. It moves between the stores. */
export class MigratingHold {
  readonly inEnd: EndClaim;
  readonly span: LeaseSpan;
  /** As core asked for it last. */
  claim: Claim;
  readonly #host: MigrationHost;
  readonly #isHeld: () => boolean;
  readonly #sessions: Sessions;
  /** What its attempts are, or its lease is, taken under. */
  #scope: Scope = ofBoth;
  /** The lease's. */
  #token = 0n;
  /** Another process took it under an end, and this one has not renewed it. */
  #adopted = false;
  /** What a lease in both stores was carried from. */
  #carriedFrom: Scope | undefined = undefined;

  constructor(host: MigrationHost, claim: Claim, isHeld: () => boolean) {
    this.claim = claim;
    this.#host = host;
    this.#isHeld = isHeld;
    this.inEnd = new EndClaim(host, claim.owner);
    this.span = new LeaseSpan(host);
    this.#sessions = new Sessions(host.both.signals, () => this.#gone(this.#sessions.reason));
  }

  get scope(): Scope {
    return this.#scope;
  }

  get token(): bigint {
    return this.#token;
  }

  /** What core was told is valid only while the presence is. */
  get countsOnEnd(): boolean {
    return this.#isHeld() && this.span.countsOnEnd(this.#scope.phase);
  }

  /** Attempts begin under `scope`. `first`: none was made before. */
  enter(scope: Scope, first: boolean): void {
    const before = this.#scope;
    this.#scope = scope;
    this.span.begin();
    const same = before.phase === scope.phase && before.epoch === scope.epoch;
    if (!same && !first) this.inEnd.enter(before, scope, this.claim);
  }

  granted(answer: Grant, sentAt: number): Grant {
    this.#token = answer.token;
    const { lost } = this.#sessions;
    this.follow(answer.lost);
    const hold = answer.validity ?? this.claim.ttl;
    return { ...answer, validity: this.span.extend(this.#scope, sentAt, hold), hold, lost };
  }

  /** A lease that another process took, perhaps in another phase. */
  adopt([first, ...others]: readonly [MemberHold, ...MemberHold[]]): void {
    this.span.until = this.span.now() + this.claim.ttl;
    if (others.some(({ member }) => member !== first.member)) {
      this.#host.both.adopt(this.claim).adopt([first, ...others]);
      return;
    }
    this.#scope = { ...this.#host.keeper.scope(), phase: ends[first.member] ?? 'to' };
    this.#token = first.holder.token ?? 0n;
    this.inEnd.take({ owner: first.owner, token: this.#token }, this.#token);
    this.#adopted = true;
  }

  /** `behind`: runs work after core has had its answer. */
  async renew(token: bigint | undefined, behind: (work: () => Promise<void>) => void): Promise<Renewal | false> {
    const now = this.#host.keeper.scope();
    if (this.#adopted && this.#scope.phase === now.phase) this.#scope = now;
    const step = renewalStep(this.#scope.phase, now);
    if (step === 'shed' && this.span.isCovered) this.#shed(now);
    const { phase } = this.#scope;
    const sentAt = this.span.now();
    let renewed = await this.#renewIn(this.#scope, sentAt, token);
    if (renewed === false) this.#fallBack();
    // Now, or meanwhile, as the other store's session has ended.
    if (this.#scope.phase !== phase) renewed = await this.#renewIn(this.#scope, sentAt, token);
    if (renewed === false) return false;
    if (token !== undefined) {
      if (token > this.#token) this.#token = token;
      this.inEnd.raise(token);
    }
    const carries = step === 'carry' && phase !== 'both';
    const hold = renewed.validity ?? this.claim.ttl;
    if (carries && this.#adopted) {
      // The presence that it counted on is another process's.
      this.span.until = sentAt + hold;
      await this.#carry(phase);
    }
    this.#adopted = false;
    const validity = this.span.extend(this.#scope, sentAt, hold);
    if (carries && this.#scope.phase === phase) behind(() => this.#carry(phase));
    return { validity, hold };
  }

  /** Core gives it up. `onEnd`: it counted on its end. */
  release(onEnd: boolean): Promise<boolean> {
    const { phase } = this.#scope;
    // The other store may have let go of a lease that counts on its end.
    const deciding = onEnd ? ends.findIndex((each) => each === this.#carriedFrom?.phase) : undefined;
    if (phase === 'both') return this.#host.both.release(this.claim, deciding);
    const [store, claim] = this.inEnd.target(this.claim, this.#scope);
    return store.release(claim);
  }

  /** The lease is lost: its holder hears of it. */
  lose(reason: unknown): void {
    this.#sessions.end(reason);
  }

  /** The lease ends when `signal` aborts, and with no other session. */
  follow(signal: AbortSignal | undefined): void {
    this.#sessions.unfollow(theSession);
    if (signal?.aborted === true) this.#gone(signal.reason);
    else this.#sessions.follow(theSession, signal);
  }

  async #renewIn(scope: Scope, sentAt: number, token: bigint | undefined): Promise<Renewal | false> {
    const [store, claim] = this.inEnd.send(this.claim, scope, sentAt);
    return await callMember(() => store.renew(claim, token));
  }

  /** The lease counts on the store of the end alone from now on. `false`: it had no hold there. */
  #shed(scope: Scope): boolean {
    if (scope.phase === 'both') return true;
    const kept = this.#host.both.forget(this.claim)?.surrender(ends.indexOf(scope.phase));
    this.inEnd.take(kept, this.#token);
    this.follow(kept?.lost);
    this.#scope = scope;
    return kept !== undefined;
  }

  /** A hold has ended with its session: the lease ends, unless it counts on the end alone still. */
  #gone(reason: unknown): void {
    if (!this.#fallBack()) this.lose(reason);
  }

  /**
   * A lease that was carried has no hold in the other store any more. It goes on under its end,
   * whose hold is what core was told of. `false`: it does not count on that any more.
   */
  #fallBack(): boolean {
    const from = this.#carriedFrom;
    if (this.#scope.phase !== 'both' || from === undefined || !this.countsOnEnd || !this.#shed(from)) return false;
    this.span.fallBack();
    return true;
  }

  /** Takes the other store too. Rejects where that does not have the lease then. */
  async #carry(end: End): Promise<void> {
    const { both, keeper } = this.#host;
    const { owner } = this.claim;
    const isNeeded = (): boolean =>
      this.#isHeld() && this.#scope.phase === end && this.span.lasts && renewalStep(end, keeper.scope()) === 'carry';
    const claim = { ...this.claim, owner: this.inEnd.newOwner(), floor: this.#token };
    const other = await takeOtherStore(this.#host, owner, { end, claim, until: this.span.until, isNeeded });
    const own = this.inEnd.hold(end, claim, this.#sessions.unfollow(theSession));
    const known = { token: this.#token, promisedUntil: this.span.until };
    this.follow(both.adopt(this.claim).adopt([own, other], known));
    this.#carriedFrom = this.#scope;
    this.#scope = ofBoth;
    keeper.tell('carried', { key: claim.key });
    keeper.goOn();
  }
}
