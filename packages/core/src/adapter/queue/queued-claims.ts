import type { WakeCause } from '../../contract.ts';
import type { Assignment } from './assignment.ts';
import type { QueuedClaim } from './queued-claim.ts';

/** The most claims refreshed by one call. More make it block the server for longer. */
const shownTogether = 100;
/**
 * Claims refreshed within the last half of the interval are skipped. A larger part refreshes fewer
 * claims together, a smaller one refreshes them more often than needed.
 */
const shownLately = 1 / 2;

/**
 * The waiting claims of one process. The backend forgets a claim that is not refreshed. If each of
 * a thousand waiters refreshed itself, they would send more commands than the locks. So the call of
 * one claim refreshes others on its key too, those refreshed longest ago first.
 */
export class QueuedClaims {
  readonly #refresh: number;
  readonly #byOwner = new Map<string, QueuedClaim>();
  readonly #byKey = new Map<string, Set<QueuedClaim>>();

  constructor(refresh: number) {
    this.#refresh = refresh;
  }

  get size(): number {
    return this.#byOwner.size;
  }

  /** The keys with a claim in the queue, as far as the backend has reported. */
  keys(): readonly string[] {
    return [...this.#byKey.keys()];
  }

  waitsFor(key: string): boolean {
    // Looking up a key hashes it.
    return this.#byKey.size > 0 && this.#byKey.has(key);
  }

  get(owner: string): QueuedClaim | undefined {
    return this.#byOwner.size === 0 ? undefined : this.#byOwner.get(owner);
  }

  /** It may wait, so it can now be found by its owner. */
  add(mine: QueuedClaim): void {
    if (!mine.over) this.#byOwner.set(mine.claim.owner, mine);
  }

  /** It was granted the key. Other calls of it may be in progress, and return that. */
  granted(mine: QueuedClaim, grant: Assignment): void {
    mine.granted(grant);
    this.#forget(mine);
  }

  leave(mine: QueuedClaim): void {
    mine.leave();
    this.#forget(mine);
  }

  /** The call that refreshed `other` was answered. */
  carried(other: QueuedClaim, kept: boolean): void {
    if (other.carried(kept ? 'kept' : 'not-kept')) this.notifyLater(other.claim.owner, 'lapsed');
  }

  #forget(mine: QueuedClaim): void {
    const { owner, key } = mine.claim;
    if (this.get(owner) === mine) this.#byOwner.delete(owner);
    if (!this.waitsFor(key)) return;
    const queue = this.#byKey.get(key);
    queue?.delete(mine);
    if (queue?.size === 0) this.#byKey.delete(key);
  }

  /** A call sent at `sentAt` refreshes it. */
  show(mine: QueuedClaim, sentAt: number): void {
    if (mine.over) return;
    const { key } = mine.claim;
    let queue = this.#byKey.get(key);
    if (queue === undefined) this.#byKey.set(key, (queue = new Set()));
    queue.delete(mine);
    queue.add(mine);
    mine.shownAt = sentAt;
  }

  /** Those on its key that a call of `mine` refreshes too. */
  carriedBy(mine: QueuedClaim, now: number): readonly QueuedClaim[] {
    const others: QueuedClaim[] = [];
    for (const other of this.#byKey.get(mine.claim.key) ?? []) {
      if (other.shownAt === undefined || other.shownAt > now - this.#refresh * shownLately) break;
      const { stage } = other;
      if (other === mine || (stage !== 'waiting' && stage !== 'shown' && stage !== 'asking')) continue;
      if (others.push(other) === shownTogether) break;
    }
    this.show(mine, now);
    for (const other of others) {
      other.carry();
      this.show(other, now);
    }
    return others;
  }

  /** The backend has granted the key to `owner`: its next call returns that. */
  assign(owner: string, grant: Assignment, by: WakeCause): void {
    const mine = this.get(owner);
    mine?.assign(grant);
    this.#wake(mine, by);
  }

  /** There may be news for `owner`. */
  notify(owner: string, by: WakeCause): void {
    const mine = this.get(owner);
    mine?.notify();
    this.#wake(mine, by);
  }

  notifyLater(owner: string, by: WakeCause): void {
    queueMicrotask(() => this.notify(owner, by));
  }

  /** Messages may have been lost: all claims sent before look again. */
  notifyAll(by: WakeCause): void {
    for (const [owner, { stage }] of this.#byOwner) if (stage !== 'entering') this.notifyLater(owner, by);
  }

  /** Wakes each claim a last time, to learn that its provider is closed. */
  close(): void {
    for (const mine of this.#byOwner.values()) {
      queueMicrotask(() => mine.wake?.('closed'));
      mine.leave();
    }
    this.#byOwner.clear();
    this.#byKey.clear();
  }

  #wake(mine: QueuedClaim | undefined, by: WakeCause): void {
    if (mine !== undefined && !mine.over) mine.wake?.(by);
  }
}
