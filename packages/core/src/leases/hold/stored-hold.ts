import type { Claim, Mode, Renewal } from '../../contract.ts';
import type { TimerEntry } from '../../time/timer-wheel.ts';
import type { HandOver } from '../hand-over/hand-over.ts';
import type { Abandoned } from '../release/background-releases.ts';
import { leftOf, restUntil, storedClaim, validityOf } from '../release/rest.ts';
import type { Rest } from '../release/rest.ts';
import type { LeaseHost } from './lease-host.ts';
import type { Terms } from './terms.ts';
import { deadlineOf, grouped } from './validity.ts';

/** How it is kept. One object for most leases, as each field takes 8 bytes of every lease. */
type Keeping = Pick<Terms, 'renew' | 'holdUntil' | 'rest'>;

const usual: Keeping = { renew: true, holdUntil: undefined, rest: undefined };

/**
 * What the store has of a lease, until when it certainly has it, and when the next renewal is due.
 * A base of the lease instead of a part, as an object more would cost 4 % of a lease in memory.
 */
export abstract class StoredHold implements TimerEntry {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  readonly token: bigint;
  /** The clock's reading at the grant. */
  readonly since: number;
  protected readonly host: LeaseHost;
  readonly #keeping: Keeping;
  #claim: Claim;
  #deadline: number;
  /**
   * Rounded up: whole numbers take less memory. A release is then repeated a ms longer, without
   * harm.
   */
  #lastSend: number;
  /** When it was to be renewed, or else its deadline. */
  #dueAt = 0;

  constructor(host: LeaseHost, { claim, grant, sentAt, now, deadline, renew, holdUntil, rest }: Terms) {
    this.host = host;
    this.token = grant.token;
    this.since = now;
    this.#keeping = renew && holdUntil === undefined && rest === undefined ? usual : { renew, holdUntil, rest };
    this.#claim = claim;
    this.#deadline = deadline;
    this.#lastSend = Math.ceil(sentAt);
    this.#planFrom(sentAt, now);
  }

  /** With the ttl of the lease. */
  get claim(): Claim {
    return this.#claim;
  }

  get key(): string {
    return this.#claim.key;
  }

  get owner(): string {
    return this.#claim.owner;
  }

  get mode(): Mode {
    return this.#claim.mode;
  }

  get rest(): Rest | undefined {
    return this.#keeping.rest;
  }

  /** As the timer wheel asks: the next renewal is due, or the deadline has come. */
  abstract due(now: number): void;

  /** A call for it is sent at `now`. Gives its claim as the store is to hear it. */
  sending(now: number): Claim {
    this.#lastSend = Math.ceil(now);
    return storedClaim(this.#claim, this.rest, now);
  }

  /** The call that was sent at `sentAt` renewed it. */
  renewed(sentAt: number, answer: Renewal, now: number): void {
    this.#deadline = deadlineOf(sentAt, validityOf(this.#claim, this.rest, answer), this.#keeping.holdUntil);
    this.#planFrom(sentAt, now);
  }

  /** From now on it is asked for in this mode. */
  change(mode: Mode): void {
    this.#claim = { ...this.#claim, mode };
  }

  /** The next thing to do: a renewal at `renewAt`, or else the loss at the deadline. */
  plan(renewAt: number, now: number = this.host.runtime.clock.now()): void {
    // Within reach of maxHold another renewal could not move the deadline.
    const useful = this.#keeping.renew && this.#deadline < (this.#keeping.holdUntil ?? Infinity);
    const at = useful && renewAt < Infinity ? grouped(renewAt, now) : Infinity;
    this.#dueAt = Math.min(at, this.#deadline);
    this.host.timers.schedule(this, this.#dueAt);
  }

  /** When it certainly ends, unless it is renewed. */
  protected get deadline(): number {
    return this.#deadline;
  }

  protected reachedMaxHold(now: number): boolean {
    return now >= (this.#keeping.holdUntil ?? Infinity);
  }

  /** Whether a renewal is due. The deadline stands until its answer moves it. */
  protected takesRenewal(): boolean {
    this.host.timers.schedule(this, this.#deadline);
    return this.#keeping.renew;
  }

  /**
   * For how long the process stood still, at `now`, when it lapsed, and the store was silent.
   * `asked`: a renewal had been sent.
   */
  protected late(now: number, asked: boolean): { readonly stood: number; readonly silent: number } {
    return { stood: now - (asked ? this.#deadline : this.#dueAt), silent: asked ? now - this.#lastSend : 0 };
  }

  /** It goes to another process at `now`. */
  protected handed(now: number): Omit<HandOver, 'ticket' | 'ticketToken'> {
    const { holdUntil, renew, rest } = this.#keeping;
    const left = holdUntil === undefined ? undefined : Math.max(0, holdUntil - now);
    const handedRest = rest && { lockDelay: rest.lockDelay, atLeast: leftOf(rest, now) };
    return { claim: this.#claim, token: this.token, renew, left, rest: handedRest };
  }

  /** What it leaves in the store at `now`. `clean`: its holder released it. */
  protected left(now: number, clean: boolean, renewing: Promise<void> | undefined): Abandoned {
    const until = this.rest && restUntil(this.rest, now, clean);
    return {
      claim: storedClaim(this.#claim, this.rest, this.#lastSend),
      // Behind the last renewal no other one may arrive: that would keep the key for longer.
      inFlight: until === undefined ? undefined : renewing?.catch(() => {}),
      uncertain: false,
      lastSend: this.#lastSend,
      heldFor: this.age(now),
      restUntil: until,
    };
  }

  /** Ms since the grant. */
  protected age(now: number = this.host.runtime.clock.exact()): number {
    return now - this.since;
  }

  #planFrom(sentAt: number, now: number): void {
    this.plan(sentAt + (this.#deadline - sentAt) / 3, now);
  }
}
