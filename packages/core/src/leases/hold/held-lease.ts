import type { Claim, Renewal } from '../../contract.ts';
import { reasonOf } from '../../errors/foreign-errors.ts';
import { isLockError } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { lostError, releasedError } from '../../errors/messages.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import { about, channels } from '../diagnostics/channels.ts';
import type { LossCode } from '../diagnostics/messages.ts';
import type { AbortFollower } from '../ending/abort-followers.ts';
import type { Linked } from '../ending/linked-set.ts';
import type { Abandoned } from '../release/background-releases.ts';
import { restUntil, storedClaim } from '../release/rest.ts';
import type { Kept, LeaseHost } from './lease-host.ts';
import { deadlineOf, dueAt, renewalAt, whyLost } from './lease-state.ts';
import type { EndOfWork, Keeping, LeaseEnd, Renewing, UnderWork } from './lease-state.ts';
import { ReleaseCall } from './release-call.ts';
import { startRenewal } from './renewals.ts';
import type { RenewedLease } from './renewals.ts';

/** The initial state of a lease. */
export interface Terms {
  readonly claim: Claim;
  readonly token: bigint;
  /** Aborts when the session ends that carries it. `undefined`: none does. */
  readonly session: AbortSignal | undefined;
  readonly sentAt: number;
  readonly now: number;
  readonly deadline: number;
  readonly keeping: Keeping;
}

/**
 * A granted lease, from its grant to its end. Functions beside it renew and transfer it; users hold
 * a `PublicLease`.
 */
export class HeldLease implements RenewedLease, UnderWork, Kept, TimerEntry, AbortFollower {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  setPrevious: Linked | undefined = undefined;
  setNext: Linked | undefined = undefined;
  readonly host: LeaseHost;
  readonly token: bigint;
  readonly since: number;
  readonly keeping: Keeping;
  claim: Claim;
  deadline: number;
  lastSend: number;
  dueAt = 0;
  renewing: Renewing | undefined = undefined;
  end: LeaseEnd | undefined = undefined;
  working = false;
  /** Its client is closing, and waits for the work under it. */
  #closing: { readonly reason: LockError; readonly over: () => void } | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  readonly #session: AbortSignal | undefined;

  constructor(host: LeaseHost, { claim, token, session, sentAt, now, deadline, keeping }: Terms) {
    this.host = host;
    this.token = token;
    this.since = now;
    this.keeping = keeping;
    this.claim = claim;
    this.deadline = deadline;
    this.lastSend = Math.ceil(sentAt);
    this.#session = session;
    this.plan(renewalAt(this, sentAt), now);
    host.leases.add(this);
    // Deferred: the caller does not have the lease yet.
    if (session?.aborted === true) queueMicrotask(() => this.aborted(session));
    else if (session !== undefined) host.signals.follow(session, this);
  }

  get key(): string {
    return this.claim.key;
  }

  get owner(): string {
    return this.claim.owner;
  }

  get held(): boolean {
    return this.end === undefined && this.host.runtime.clock.exact() < this.deadline;
  }

  get remaining(): number {
    return this.end === undefined ? Math.max(0, this.deadline - this.host.runtime.clock.exact()) : 0;
  }

  get signal(): AbortSignal {
    const reason = this.lostReason ?? this.#closing?.reason;
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (reason !== undefined) this.#controller.abort(reason);
    }
    return this.#controller.signal;
  }

  /** Why it ended against its holder's will; `undefined` while held and after `release`. */
  get lostReason(): LockError | undefined {
    this.isHeld();
    return this.end?.reason;
  }

  beginWork(): void {
    this.working = true;
  }

  endWork(): EndOfWork {
    const freed = this.release();
    return { lost: this.end?.reason, freed };
  }

  /** Whether it is held. The first check after its deadline ends it: its timer may be late. */
  isHeld(now: number = this.host.runtime.clock.exact()): boolean {
    if (this.end === undefined && now >= this.deadline) {
      const { code, why, cause } = whyLost(this, this.host.provider, now);
      this.lose(code, why, cause);
    }
    return this.end === undefined;
  }

  ended(now: number = this.host.runtime.clock.exact()): LockError | undefined {
    if (this.isHeld(now)) return undefined;
    const { ending, reason } = this.end as LeaseEnd;
    return reason ?? releasedError(this.claim, ending === 'transferred' ? ending : 'released');
  }

  release(): Promise<boolean> {
    if (this.end === undefined) {
      const now = this.host.runtime.clock.exact();
      if (this.isHeld(now)) this.finish('released').releasing = new ReleaseCall(this, this.#left(now, true));
    }
    return this.end?.releasing?.outcome ?? Promise.resolve(false);
  }

  close(reason: LockError): Promise<void> | undefined {
    if (this.end !== undefined) return undefined;
    if (this.working && this.#closing === undefined) {
      const ended = new Promise<void>((over) => (this.#closing = { reason, over }));
      this.#abort(reason);
      return ended;
    }
    this.#abandon('closed', reason);
    return undefined;
  }

  /** Ends the lease because its session, for example, has ended. */
  aborted({ reason }: AbortSignal): void {
    if (isLockError(reason)) this.lose('session', reasonOf(reason), reason);
    else this.lose('session', 'its session with the server has ended');
  }

  /** For the timer wheel: the next renewal is due, or the deadline has passed. */
  due(now: number): void {
    if (this.end !== undefined) {
      this.end.releasing?.due(now);
      return;
    }
    const sentAt = this.host.runtime.clock.exact();
    if (!this.isHeld(sentAt)) return;
    // The deadline is valid until an answer moves it.
    this.host.timers.schedule(this, this.deadline);
    if (this.keeping.renew) void startRenewal(this, sentAt);
  }

  plan(renewAt: number, now: number): void {
    this.dueAt = dueAt(this, renewAt, now);
    this.host.timers.schedule(this, this.dueAt);
  }

  sending(now: number): Claim {
    this.lastSend = Math.ceil(now);
    return storedClaim(this.claim, this.keeping.rest, now);
  }

  renewed(sentAt: number, answer: Renewal, now: number): void {
    this.deadline = deadlineOf(this.claim, this.keeping, sentAt, answer);
    this.plan(renewalAt(this, sentAt), now);
  }

  /** Ends it as lost, unless it has ended. */
  lose(code: LossCode, why: string, cause?: unknown): void {
    if (this.end !== undefined) return;
    const reason = lostError(this.claim, why, cause);
    this.#abandon('lost', reason, code);
  }

  /** Ends it here. A release uses its entry in the timer wheel. */
  finish(ending: LeaseEnd['ending'], reason?: LockError): LeaseEnd {
    const { leases, signals, slowWaits, timers } = this.host;
    this.#closing?.over();
    this.end = { ending, reason, releasing: undefined };
    leases.delete(this);
    if (ending !== 'released') timers.cancel(this);
    if (channels.slow.hasSubscribers) slowWaits.held(this.key, this.#age());
    if (this.#session !== undefined) signals.unfollow(this.#session, this);
    return this.end;
  }

  /** Ends it against its holder's will, and releases it in the background. */
  #abandon(ending: 'lost' | 'closed', reason: LockError, code?: LossCode): void {
    this.finish(ending, reason);
    this.#abort(reason);
    if (code !== undefined && channels.lost.hasSubscribers) {
      const message = { ...about(this.host.provider.name, this.claim), reason, code, heldFor: this.#age() };
      outsideContext(() => channels.lost.publish(message));
    }
    this.host.releases.start(this.#left(this.host.runtime.clock.now(), false));
  }

  /** Listeners must not run in the flow that found it lost, which may be any. */
  #abort(reason: LockError): void {
    const controller = this.#controller;
    if (controller !== undefined) outsideContext(() => controller.abort(reason));
  }

  /** What it leaves in the store at `now`. `clean`: its holder released it. */
  #left(now: number, clean: boolean): Abandoned {
    const { claim, keeping, lastSend } = this;
    const until = keeping.rest && restUntil(keeping.rest, now, clean);
    return {
      claim: keeping.rest === undefined ? claim : storedClaim(claim, keeping.rest, lastSend),
      // No other renewal may follow the last one: that would keep the key for longer. A downgrade
      // that follows a release would take the key again.
      inFlight: until === undefined && this.renewing?.unshared !== true ? undefined : this.renewing?.inFlight,
      uncertain: false,
      lastSend,
      heldFor: now - this.since,
      restUntil: until,
    };
  }

  #age(): number {
    return this.host.runtime.clock.exact() - this.since;
  }
}
