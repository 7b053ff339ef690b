import type { Claim } from '../../contract.ts';
import { createDeferred } from '../../time/deferred.ts';
import type { Assignment } from './assignment.ts';
import { endHearing, newPlace } from './place.ts';
import type { Place } from './place.ts';
import { ShownPlaces } from './shown-places.ts';

/**
 * After how many refreshes without an answer a place may have lapsed. The server keeps it for
 * three, but counts from a moment after the send, and may count faster. A larger number could take
 * a lapsed place for a kept one.
 */
const certainFor = 2.9;
/** A claim whose next sign of life is due in this part of a refresh gives it now, not twice. */
const dueSoon = 1 / 8;
/**
 * Core attempts again up to a tenth before the time it was told. An earlier attempt has a reason.
 */
const earliest = 0.85;

const none: readonly Place[] = [];

/**
 * The places in line of one process. The server forgets a place that gives no sign of life. If each
 * of a thousand waiters gave one, they would send more commands than the locks. So the call of one
 * claim shows others on its key too. These are answered without a call when their time comes.
 */
export class Places {
  readonly #refresh: number;
  readonly #byOwner = new Map<string, Place>();
  readonly #shown = new ShownPlaces();

  /** A place gives a sign of life every `refresh` ms, and lasts for three times as long without. */
  constructor(refresh: number) {
    this.#refresh = refresh;
  }

  get size(): number {
    return this.#byOwner.size;
  }

  /** The keys with a claim in line, as far as the server has answered. */
  keys(): readonly string[] {
    return this.#shown.keys();
  }

  /** Whether a claim is in line on `key`, as far as the server has answered. */
  waitsFor(key: string): boolean {
    return this.#shown.has(key);
  }

  /** Whether a call of `owner` may have brought it into the line. */
  isInLine(owner: string): boolean {
    return this.#byOwner.get(owner)?.shownAt !== undefined;
  }

  /** Whether `owner` took its place in an earlier attempt, and was granted nothing since. */
  isRepeated(owner: string): boolean {
    return this.#byOwner.get(owner)?.repeated === true;
  }

  /** Whether `place` is still wanted. */
  has(place: Place): boolean {
    return this.#byOwner.get(place.claim.owner) === place;
  }

  /** The place of `claim`, made if there is none. The latest claim and `wake` count. */
  take(claim: Claim, wake: () => void): Place {
    const { owner } = claim;
    let place = this.#byOwner.get(owner);
    if (place === undefined) {
      place = newPlace(claim, wake);
      this.#byOwner.set(owner, place);
    }
    place.claim = claim;
    place.wake = wake;
    return place;
  }

  /**
   * Forgets the place: nothing wakes its claim any more. Returns whether the claim waited: its last
   * attempt was answered busy.
   */
  leave(owner: string): boolean {
    // Looking up an owner hashes it.
    if (this.#byOwner.size === 0) return false;
    const place = this.#byOwner.get(owner);
    if (place === undefined) return false;
    this.#byOwner.delete(owner);
    this.#shown.remove(place);
    place.assigned = undefined;
    endHearing(place);
    return place.waits;
  }

  /** As `leave`, for a claim that was granted. Other attempts of it may be under way. */
  granted(owner: string, grant: Assignment): void {
    if (this.#byOwner.size === 0) return;
    const place = this.#byOwner.get(owner);
    this.leave(owner);
    if (place !== undefined) place.assigned = grant;
  }

  /** Forgets all places. Each claim is woken a last time, and hears that its provider is closed. */
  close(): void {
    for (const place of this.#byOwner.values()) {
      queueMicrotask(place.wake);
      endHearing(place);
    }
    this.#byOwner.clear();
    this.#shown.clear();
  }

  /** The server told that it granted the key to `owner`: its next attempt finds this. */
  assign(owner: string, assigned: Assignment): void {
    const place = this.#byOwner.get(owner);
    if (place !== undefined) place.assigned = assigned;
  }

  /** An attempt of `owner` begins. Gives what the server told that it granted to it, once. */
  begin(owner: string): Assignment | undefined {
    if (this.#byOwner.size === 0) return undefined;
    const place = this.#byOwner.get(owner);
    if (place === undefined) return undefined;
    const { assigned } = place;
    place.waits = false;
    place.repeated = true;
    place.assigned = undefined;
    return assigned;
  }

  /** The attempt of `owner` that began last was answered busy. */
  answeredBusy(owner: string): void {
    const place = this.#byOwner.get(owner);
    if (place !== undefined) place.waits = true;
  }

  /** It is the turn of `owner`, as far as the server knows. */
  wake(owner: string): void {
    const place = this.#byOwner.get(owner);
    if (place === undefined) return;
    place.quiet = false;
    // The next call of this claim hands the lock over: it shows no other claims.
    place.waitUntil = Infinity;
    endHearing(place);
    place.wake();
  }

  /** Messages may have been lost: all claims look again. */
  wakeAll(): void {
    for (const owner of this.#byOwner.keys()) this.#wakeLater(owner);
  }

  /**
   * Resolves when the call of another claim that shows `owner` was answered or rejected, or when
   * `owner` is woken or leaves. `undefined`: no such call is under way, or `owner` must ask itself.
   */
  untilShown(owner: string, now: number): Promise<void> | undefined {
    if (this.#byOwner.size === 0) return undefined;
    const place = this.#byOwner.get(owner);
    if (!place?.quiet || now < place.waitUntil || place.keptAt >= (place.shownAt ?? 0)) return undefined;
    place.hearing ??= createDeferred();
    return place.hearing.promise;
  }

  /**
   * How long `owner` may wait on without asking the server, in ms. `undefined`: it must ask. The
   * latest `wake` counts.
   */
  quietFor(owner: string, wake: () => void, now: number): number | undefined {
    if (this.#byOwner.size === 0) return undefined;
    const place = this.#byOwner.get(owner);
    if (place === undefined) return undefined;
    place.wake = wake;
    if (!place.quiet || place.shownAt === undefined || now < place.waitUntil) return undefined;
    const left = place.shownAt + this.#refresh - now;
    if (left <= this.#refresh * dueSoon) return undefined;
    this.#toldToWait(place, left, now);
    return left;
  }

  /**
   * The others on its key that the call of `place` is to show. There are some if it is only a sign
   * of life.
   */
  shownWith(place: Place, now: number): readonly Place[] {
    if (place.shownAt === undefined || now < place.waitUntil) return none;
    const others = this.#shown.beside(place, now, this.#refresh);
    this.#shown.show(place, now);
    for (const other of others) {
      // Before the answer, so that a wake in between is not forgotten.
      other.quiet = true;
      this.#shown.show(other, now);
    }
    return others;
  }

  /**
   * The server answered the call that was sent at `sentAt` to show `others`. It does not bring back
   * a place that had lapsed. So a claim whose place may have lapsed asks again.
   */
  kept(others: readonly Place[], sentAt: number, now: number): void {
    for (const other of others) {
      if (now - other.keptAt < certainFor * this.#refresh) other.keptAt = Math.max(other.keptAt, sentAt);
      else this.#wakeLater(other.claim.owner);
      endHearing(other);
    }
  }

  /**
   * The call of `place` that was to show `others` was rejected. Each asks for itself, or a claim
   * that tries again could keep them all from hearing the same.
   */
  failed(place: Place, others: readonly Place[]): void {
    place.waitUntil = Infinity;
    for (const other of others) {
      other.quiet = false;
      endHearing(other);
    }
  }

  /**
   * The server answered the call of `place` that was sent at `sentAt`: busy, and told it to wait.
   */
  shown(place: Place, retryAfter: number, sentAt: number, now: number): void {
    if (!this.has(place)) return;
    place.quiet = false;
    place.keptAt = Math.max(place.keptAt, sentAt);
    place.looks = retryAfter < Math.floor(this.#refresh);
    this.#toldToWait(place, retryAfter, now);
    this.#shown.show(place, sentAt);
  }

  #toldToWait(place: Place, delay: number, now: number): void {
    place.waitUntil = now + earliest * delay;
  }

  #wakeLater(owner: string): void {
    queueMicrotask(() => this.wake(owner));
  }
}
