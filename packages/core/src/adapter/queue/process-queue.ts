import type { Grant } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import { Arrivals } from './arrivals.ts';
import { lastsFor } from './assignment.ts';
import { BusyKeys } from './busy-keys.ts';
import type { QueueParts, Waiting } from './queue-parts.ts';
import type { QueuedClaim } from './queued-claim.ts';
import { QueuedClaims } from './queued-claims.ts';
import { Subscription } from './subscription.ts';

/**
 * How many signs of life a waiter gives in the time that its place lasts. Two of them may be lost.
 * More cost the backend calls. Fewer make a late sign lose the place.
 */
const refreshesPerTtl = 3;
/**
 * Without a subscription a claim takes no place in the queue, as the backend could not tell it its
 * turn. It then polls, so many times for each sign of life of a place. More polls cost the backend
 * calls. Fewer leave a free key unused for longer.
 */
const pollsPerRefresh = 8;
/**
 * A claim waits for the subscription before it polls, for this part of the time between two signs
 * of life. To open one takes four round trips and more, so with less a far or busy backend gives no
 * places. More keeps the first claim waiting for longer where the backend refuses subscriptions.
 */
const patience = 1 / 2;

/** What the calls of one process share. */
export class ProcessQueue {
  readonly parts: QueueParts;
  readonly claims: QueuedClaims;
  readonly arrivals: Arrivals;
  readonly subscription: Subscription;
  readonly busyKeys: BusyKeys = new BusyKeys();
  /** The ms between two signs of life of a waiter. */
  readonly refresh: number;
  /** Those between two polls, without a subscription. */
  readonly pollInterval: number;
  /** How long a claim waits for a subscription, in ms. */
  readonly patience: number;
  #closed: Error | undefined = undefined;

  constructor(parts: QueueParts) {
    const { waiterTtl, look, together = 1, deadline, runtime } = parts;
    this.parts = parts;
    this.refresh = waiterTtl / refreshesPerTtl;
    this.pollInterval = this.refresh / pollsPerRefresh;
    // Where a poller stands in, claims get their places without a subscription.
    this.patience = look === undefined ? this.refresh * patience : this.pollInterval;
    this.claims = new QueuedClaims(this.refresh);
    this.arrivals = new Arrivals(together, deadline, runtime.clock);
    this.subscription = new Subscription(parts, this.claims, this.refresh);
  }

  get now(): number {
    return this.parts.runtime.clock.now();
  }

  checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  close(reason: Error): void {
    this.#closed = reason;
    this.claims.close();
    this.arrivals.close();
    this.subscription.close(reason);
  }

  /** So a cheaper attempt is not worth its cost. Without a subscription it is. */
  isBusy(key: string): boolean {
    return this.claims.waitsFor(key) || (this.subscription.open && this.busyKeys.has(key, this.now));
  }

  foundBusy(key: string, sentAt: number): void {
    if (this.parts.tryFree !== undefined) this.busyKeys.found(key, sentAt);
  }

  /** The grant that a message told, while it certainly lasts. */
  told(mine: QueuedClaim): Grant | undefined {
    const { grant, claim } = mine;
    const validity = grant && lastsFor(grant, claim, this.parts.runtime.clock.exact());
    if (grant === undefined || validity === undefined) return undefined;
    this.claims.granted(mine, grant);
    return { granted: true, token: grant.token, validity };
  }

  /** What became of a claim that is over by another call of it: granted, or released. */
  outcome(mine: QueuedClaim): Grant | Waiting {
    if (mine.grant === undefined) return { granted: false, retryAfter: this.pollInterval };
    const told = this.told(mine);
    if (told !== undefined) return told;
    throw new LockError('LOCK_UNAVAILABLE', 'Another attempt of this claim was granted, too long ago to count on.', {
      key: mine.claim.key,
    });
  }
}
