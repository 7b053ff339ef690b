import type { Renewal } from '../../contract.ts';
import { reasonOf } from '../../errors/foreign-errors.ts';
import { isLockError } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { lostError, releasedError, whyLapsed } from '../../errors/messages.ts';
import { sharingRefused } from '../../errors/refusals.ts';
import { outsideContext } from '../../time/outside-context.ts';
import { about, channels } from '../diagnostics/channels.ts';
import type { LossCode } from '../diagnostics/messages.ts';
import type { AbortFollower } from '../ending/abort-followers.ts';
import type { Linked } from '../ending/linked-set.ts';
import { takeTicket, writeHandOver } from '../hand-over/hand-over.ts';
import { ReleaseCall } from '../release/release-call.ts';
import type { Kept, LeaseHost } from './lease-host.ts';
import { LeaseRenewals } from './lease-renewals.ts';
import type { Renewable } from './lease-renewals.ts';
import type { Holding } from './public-lease.ts';
import { StoredHold } from './stored-hold.ts';
import type { Terms } from './terms.ts';

type Ending = 'released' | 'handed over' | 'lost' | 'closed';

/** What became of a lease that is not held any more. */
interface LeaseEnd {
  readonly ending: Ending;
  readonly reason: LockError | undefined;
  releasing: ReleaseCall | undefined;
}

/** What few leases have. Apart from the lease, as each field takes 8 bytes of every lease. */
interface Extras {
  readonly session: AbortSignal | undefined;
  readonly controller: AbortController | undefined;
  /** Its `Locks` is closing, and waits for the work under it. */
  readonly closing: LockError | undefined;
}

const none: Extras = { session: undefined, controller: undefined, closing: undefined };

/** A granted lease, from its grant to its end. */
export class HeldLease extends StoredHold implements Holding, Kept, Renewable, AbortFollower {
  setPrevious: Linked | undefined = undefined;
  setNext: Linked | undefined = undefined;
  /** `undefined`: it is held, unless its deadline has passed unnoticed. */
  #ended: LeaseEnd | undefined = undefined;
  /** `undefined`: none was needed yet, as for most leases. */
  #renewals: LeaseRenewals | undefined = undefined;
  #working = false;
  #extras: Extras = none;

  constructor(host: LeaseHost, terms: Terms) {
    super(host, terms);
    host.leases.add(this);
    if (terms.grant.lost !== undefined) this.#follow(terms.grant.lost);
  }

  get held(): boolean {
    return this.#ended === undefined && this.host.runtime.clock.exact() < this.deadline;
  }

  get remaining(): number {
    return this.#ended === undefined ? Math.max(0, this.deadline - this.host.runtime.clock.exact()) : 0;
  }

  get signal(): AbortSignal {
    this.isHeld();
    let { controller } = this.#extras;
    if (controller === undefined) {
      controller = new AbortController();
      this.#extras = { ...this.#extras, controller };
      const reason = this.lostReason ?? this.#extras.closing;
      if (reason !== undefined) controller.abort(reason);
    }
    return controller.signal;
  }

  /** Why it ended against its holder's will; `undefined` while held and after `release`. */
  get lostReason(): LockError | undefined {
    this.isHeld();
    return this.#ended?.reason;
  }

  /** Its `Locks` is closing, and the work under it goes on. */
  get draining(): boolean {
    return this.#ended === undefined && this.#extras.closing !== undefined;
  }

  beginWork(): void {
    this.#working = true;
  }

  get working(): boolean {
    return this.#working;
  }

  get over(): boolean {
    return this.#ended !== undefined;
  }

  renew(): Promise<void> {
    return this.#begunRenewals.renew();
  }

  async downgrade(): Promise<void> {
    this.#mustBeHeld();
    if (!this.host.provider.traits.shared) throw sharingRefused(this.host.provider, this.claim);
    await this.#begunRenewals.share();
  }

  async handOver(): Promise<string> {
    this.#mustBeHeld();
    const ticket = await takeTicket(this.host, this.claim, async () => {
      // The other process has a whole ttl from here.
      await this.renew();
      this.#mustBeHeld();
    });
    this.#end('handed over');
    if (channels.handOver.hasSubscribers) {
      channels.handOver.publish({ ...about(this.host.provider.name, this.claim), heldFor: this.age() });
    }
    return writeHandOver({ ...this.handed(this.host.runtime.clock.now()), ...ticket });
  }

  release(): Promise<boolean> {
    const before = this.#ended?.releasing;
    if (before !== undefined) return before.outcome;
    const now = this.host.runtime.clock.exact();
    if (!this.isHeld(now)) return Promise.resolve(false);
    const end = this.#end('released');
    const left = this.left(now, true, this.#renewals?.inFlight);
    end.releasing = new ReleaseCall(this.host, left, this.deadline);
    return end.releasing.outcome;
  }

  /**
   * Ends the lease because its `Locks` is closing. Work under it hears its signal first, and the
   * lease is kept until the work ends, or this is called again.
   */
  close(reason: LockError): void {
    if (this.#ended !== undefined) return;
    if (this.#working && !this.draining) {
      this.#extras = { ...this.#extras, closing: reason };
      this.#abort(reason);
      return;
    }
    this.#end('closed', reason);
    this.#abort(reason);
    this.#giveUp();
  }

  /** Ends the lease because what carried it has ended: a session, for example. */
  aborted({ reason }: AbortSignal): void {
    if (isLockError(reason)) this.lose('session', reasonOf(reason), reason);
    else this.lose('session', 'its session with the server has ended');
  }

  due(now: number): void {
    if (now >= this.deadline) this.#lapse();
    else if (this.takesRenewal()) this.#begunRenewals.due();
  }

  override renewed(sentAt: number, answer: Renewal, now: number): void {
    super.renewed(sentAt, answer, now);
    // A validity that is over already makes it lapse at once.
    this.isHeld(now);
  }

  /**
   * Whether it is held. After a blocked event loop its timer has not run yet. The first look then
   * makes it lapse.
   */
  isHeld(now: number = this.host.runtime.clock.exact()): boolean {
    if (this.#ended === undefined && now >= this.deadline) this.#lapse();
    return this.#ended === undefined;
  }

  ended(): LockError {
    const { ending, reason } = this.#ended ?? {};
    return reason ?? releasedError(this.claim, ending === 'handed over' ? ending : 'released');
  }

  /** It is lost, if it has not ended. */
  lose(code: LossCode, why: string, cause?: unknown): void {
    if (this.#ended !== undefined) return;
    const reason = lostError(this.claim, why, cause);
    this.#end('lost', reason);
    this.#abort(reason);
    if (channels.lost.hasSubscribers) {
      const message = { ...about(this.host.provider.name, this.claim), reason, code, heldFor: this.age() };
      outsideContext(() => channels.lost.publish(message));
    }
    this.#giveUp();
  }

  #lapse(): void {
    const now = this.host.runtime.clock.exact();
    if (this.reachedMaxHold(now)) {
      this.lose('max-hold', 'its maxHold is over');
      return;
    }
    const { failures = 0, failure, inFlight } = this.#renewals ?? {};
    const { provider } = this.host;
    const late = this.late(now, failures > 0 || inFlight !== undefined);
    // A session keeps its leases for a while without an answer: then no renewal has failed.
    const cause = failure ?? (this.#renewals === undefined ? undefined : provider.outage?.());
    const { code, why } = whyLapsed(provider.name, { ...late, failures, outage: cause !== undefined });
    this.lose(code, why, cause);
  }

  #mustBeHeld(): void {
    if (!this.isHeld()) throw this.ended();
  }

  get #begunRenewals(): LeaseRenewals {
    return (this.#renewals ??= new LeaseRenewals(this.host, this));
  }

  #end(ending: Ending, reason?: LockError): LeaseEnd {
    const end: LeaseEnd = { ending, reason, releasing: undefined };
    if (this.draining) this.host.drained?.(this.owner);
    this.#ended = end;
    this.host.timers.cancel(this);
    this.host.leases.delete(this);
    if (channels.slow.hasSubscribers) this.host.slowWaits.held(this.key, this.age());
    const { session } = this.#extras;
    if (session !== undefined) this.host.signals.unfollow(session, this);
    return end;
  }

  /**
   * Any flow that looks at the lease may find it lost. Listeners must not run in the context of
   * that flow.
   */
  #abort(reason: LockError): void {
    const { controller } = this.#extras;
    if (controller !== undefined) outsideContext(() => controller.abort(reason));
  }

  #giveUp(): void {
    this.host.releases.start(this.left(this.host.runtime.clock.now(), false, this.#renewals?.inFlight));
  }

  #follow(session: AbortSignal): void {
    this.#extras = { ...this.#extras, session };
    // Not at once: the caller does not have the lease yet.
    if (session.aborted) queueMicrotask(() => this.aborted(session));
    else this.host.signals.follow(session, this);
  }
}
