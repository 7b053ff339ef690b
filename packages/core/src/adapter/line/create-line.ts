import type { Busy, Claim, Grant } from '../../contract.ts';
import { LockError, isLockError, isPermanent } from '../../errors/lock-error.ts';
import { lastsFor } from './assignment.ts';
import type { Assignment } from './assignment.ts';
import { BusyKeys } from './busy-keys.ts';
import type { Line, LineParts, Waiting } from './line-parts.ts';
import { Places } from './places.ts';
import type { Place } from './place.ts';
import { Subscription } from './subscription.ts';

/**
 * How many signs of life a waiter gives in the time that its place lasts. Two of them may be lost.
 * More cost the backend calls. Fewer make a late sign lose the place.
 */
const refreshesPerTtl = 3;
/**
 * Without a subscription a claim takes no place in line, as the backend could not tell it its turn.
 * It then polls, so many times for each sign of life of a place. More polls cost the backend calls.
 * Fewer leave a free key unused for longer.
 */
const pollsPerRefresh = 8;
/**
 * A claim waits for the subscription before it polls, for this part of the time between two signs
 * of life. To open one takes four round trips and more, so with less a far or busy backend gives no
 * places. More keeps the first claim waiting for longer where the backend refuses subscriptions.
 */
const patience = 1 / 2;

/** One line for all claims of a provider: `tryAcquire` with places in line, and wakes. */
export function createLine(parts: LineParts): Line {
  return new ProcessLine(parts);
}

class ProcessLine implements Line {
  readonly #parts: LineParts;
  readonly #places: Places;
  readonly #subscription: Subscription;
  readonly #busyKeys = new BusyKeys();
  readonly #pollInterval: number;
  readonly #patience: number;
  #closed: Error | undefined = undefined;

  constructor(parts: LineParts) {
    const refresh = parts.waiterTtl / refreshesPerTtl;
    this.#parts = parts;
    this.#pollInterval = refresh / pollsPerRefresh;
    // Where a poller stands in, claims get their places without a subscription.
    this.#patience = parts.look === undefined ? refresh * patience : this.#pollInterval;
    this.#places = new Places(refresh);
    this.#subscription = new Subscription(parts, this.#places, refresh);
  }

  async tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    this.#checkOpen();
    const assigned = this.#assigned(claim);
    if (assigned !== undefined) return assigned;
    const parts = this.#parts;
    const now = parts.runtime.clock.now();
    const free = this.#isBusy(claim.key, now) ? undefined : parts.tryFree?.(claim);
    if (wake === undefined && free === undefined) return await this.#attemptAlone(claim, now);
    const end = now + parts.deadline.timeout;
    let within: number | undefined;
    if (free !== undefined) {
      const grant = await free;
      if (grant !== undefined) {
        this.#answered(claim, grant, now);
        return grant;
      }
      this.#checkOpen();
      within = this.#until(end);
    }
    if (wake === undefined) return await this.#attemptAlone(claim, now, within);
    const shown = this.#places.untilShown(claim.owner, now);
    if (shown !== undefined) {
      const place = this.#places.take(claim, wake);
      // Without its answer the backend may be silent, and "busy" would be a guess.
      await shown;
      this.#checkOpen();
      if (!this.#places.has(place)) return this.#grantOf(place) ?? { granted: false, retryAfter: this.#pollInterval };
      const told = this.#assigned(claim);
      if (told !== undefined) return told;
      within = this.#until(end);
    }
    const quietFor = this.#places.quietFor(claim.owner, wake, parts.runtime.clock.now());
    if (quietFor !== undefined) {
      this.#places.answeredBusy(claim.owner);
      return { granted: false, retryAfter: quietFor };
    }
    try {
      const { open } = this.#subscription;
      // A process whose keys are always free needs no place, and no subscription.
      let answer = open || free !== undefined ? undefined : await parts.attempt(claim);
      if (answer?.granted !== true) {
        const place = this.#places.take(claim, wake);
        const asked = answer !== undefined;
        answer = open ? await this.#attemptInLine(place, within) : await this.#enterLine(place, asked, end);
      }
      this.#answered(claim, answer, now);
      if (!answer.granted) this.#subscription.check();
      return answer;
    } catch (error) {
      // Core releases only a claim that may have left something. The release leaves the line.
      const sent = !isLockError(error) || error.sent !== false || this.#places.isInLine(claim.owner);
      if (!sent || isPermanent(error)) this.#places.leave(claim.owner);
      throw error;
    }
  }

  waitsFor(key: string): boolean {
    return this.#places.waitsFor(key);
  }

  isRepeated(owner: string): boolean {
    return this.#places.isRepeated(owner);
  }

  leave(owner: string): boolean {
    return this.#places.leave(owner);
  }

  wake(owner: string, assigned?: Assignment): void {
    if (assigned !== undefined) this.#places.assign(owner, assigned);
    queueMicrotask(() => this.#places.wake(owner));
  }

  close(reason: Error): void {
    this.#closed = reason;
    this.#places.close();
    this.#subscription.close(reason);
  }

  /** The grant that a message told, while it certainly lasts. */
  #assigned(claim: Claim): Grant | undefined {
    const assigned = this.#places.begin(claim.owner);
    if (assigned === undefined) return undefined;
    const validity = lastsFor(assigned, claim, this.#parts.runtime.clock.exact());
    if (validity === undefined) return undefined;
    this.#places.leave(claim.owner);
    return { granted: true, token: assigned.token, validity };
  }

  /** The claim does not wait for its turn. A place that it has stays. */
  async #attemptAlone(claim: Claim, sentAt: number, within?: number): Promise<Grant | Waiting> {
    const answer = await this.#parts.attempt(claim, undefined, within);
    this.#answered(claim, answer, sentAt);
    return answer;
  }

  /** `sentAt`: the attempt was not sent before, by the clock. */
  #answered({ key, owner, ttl }: Claim, answer: Grant | Waiting, sentAt: number): void {
    if (answer.granted) {
      if (!this.#places.isRepeated(owner)) this.#busyKeys.free(key);
      this.#places.granted(owner, { token: answer.token, sentAt, validity: answer.validity ?? ttl });
    } else {
      if (this.#parts.tryFree !== undefined) this.#busyKeys.found(key, sentAt);
      this.#places.answeredBusy(owner);
    }
  }

  /** So an attempt for a free key is not worth its cost. Without a subscription it is. */
  #isBusy(key: string, now: number): boolean {
    return this.#places.waitsFor(key) || (this.#subscription.open && this.#busyKeys.has(key, now));
  }

  /**
   * Waits for the subscription first: without one the claim polls, out of line. `asked`: an attempt
   * was answered busy before.
   */
  async #enterLine(place: Place, asked: boolean, end: number): Promise<Grant | Waiting> {
    const busy = { granted: false, retryAfter: this.#pollInterval } as const;
    const open = await this.#subscription.whenOpen(Math.min(this.#patience, this.#until(end)));
    // A claim that has left meanwhile must not come back.
    if (!this.#places.has(place)) return this.#grantOf(place) ?? busy;
    if (open) return await this.#attemptInLine(place, this.#until(end));
    // The cheaper attempt has decided nothing.
    const answer = asked ? busy : await this.#parts.attempt(place.claim, undefined, this.#until(end));
    return answer.granted ? answer : busy;
  }

  /** What another attempt of the claim was answered with. `undefined`: the claim was released. */
  #grantOf({ claim, assigned }: Place): Grant | undefined {
    if (assigned === undefined) return undefined;
    const validity = lastsFor(assigned, claim, this.#parts.runtime.clock.exact());
    if (validity !== undefined) return { granted: true, token: assigned.token, validity };
    throw new LockError('LOCK_UNAVAILABLE', 'Another attempt of this claim was granted, too long ago to count on.', {
      key: claim.key,
    });
  }

  async #attemptInLine(place: Place, within: number | undefined): Promise<Grant | Waiting> {
    const { clock } = this.#parts.runtime;
    const sentAt = clock.now();
    const others = this.#places.shownWith(place, sentAt);
    let answer: Grant | Waiting;
    try {
      answer = await this.#parts.attempt(place.claim, claimsOf(others), within);
    } catch (error) {
      this.#places.failed(place, others);
      throw error;
    }
    const now = clock.now();
    this.#places.kept(others, sentAt, now);
    if (!answer.granted) this.#places.shown(place, answer.retryAfter, sentAt, now);
    return answer;
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  /** The ms until `end`, by the clock. */
  #until(end: number): number {
    return Math.max(1, end - this.#parts.runtime.clock.now());
  }
}

const none: readonly Claim[] = [];

function claimsOf(places: readonly Place[]): readonly Claim[] {
  return places.length === 0 ? none : places.map(({ claim }) => claim);
}
