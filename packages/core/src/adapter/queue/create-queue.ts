import type { Busy, Claim, Grant, Wake } from '../../contract.ts';
import { LockError, isLockError, isPermanent } from '../../errors/lock-error.ts';
import { Arrivals, unsent } from './arrivals.ts';
import type { Turn } from './arrivals.ts';
import { lastsFor } from './assignment.ts';
import type { Assignment } from './assignment.ts';
import { BusyKeys } from './busy-keys.ts';
import type { Attempt, Attempted, Queue, QueueParts, Waiting } from './queue-parts.ts';
import { QueuedClaim } from './queued-claim.ts';
import { QueuedClaims } from './queued-claims.ts';
import { Subscription } from './subscription.ts';

/**
 * How often a waiter refreshes its position within `waiterTtl`. Two refreshes may be lost. More
 * cost the backend calls. With fewer, a late refresh loses the position.
 */
const refreshesPerTtl = 3;
/**
 * Without a subscription a claim takes no position, as the backend could not notify it. It then
 * polls, this many times per refresh. More polls cost the backend calls. Fewer leave a free key
 * unused for longer.
 */
const pollsPerRefresh = 8;
/**
 * A claim waits for the subscription before it polls, for this part of the refresh interval.
 * Opening one takes at least four round trips, so with less a far or busy backend grants no
 * positions. More delays the first claim where the backend refuses subscriptions.
 */
const patience = 1 / 2;

/** One queue for all claims of a provider: `tryAcquire` with positions, order and wakes. */
export function createQueue(parts: QueueParts): Queue {
  const queue = new ProcessQueue(parts);
  // A plain object, so that an adapter may spread it.
  return {
    tryAcquire: queue.tryAcquire.bind(queue),
    waitsFor: queue.waitsFor.bind(queue),
    leave: queue.leave.bind(queue),
    wake: queue.wake.bind(queue),
    close: queue.close.bind(queue),
  };
}

interface Call {
  readonly claim: Claim;
  /** Called with a wake: it may take a position in the queue. */
  readonly waits: boolean;
  /** When it must settle, by the clock. */
  readonly end: number;
}

class ProcessQueue implements Queue {
  readonly #parts: QueueParts;
  readonly #claims: QueuedClaims;
  readonly #arrivals: Arrivals;
  readonly #subscription: Subscription;
  readonly #busyKeys: BusyKeys = new BusyKeys();
  /** Between two refreshes of a waiter, in ms. */
  readonly #refresh: number;
  /** Between two polls without a subscription, in ms. */
  readonly #pollInterval: number;
  /** How long a claim waits for a subscription, in ms. */
  readonly #patience: number;
  #closed: Error | undefined = undefined;

  constructor(parts: QueueParts) {
    const { waiterTtl, look, together = 1, deadline, runtime } = parts;
    this.#parts = parts;
    this.#refresh = waiterTtl / refreshesPerTtl;
    this.#pollInterval = this.#refresh / pollsPerRefresh;
    // Where a poller substitutes, claims get positions without a subscription.
    this.#patience = look === undefined ? this.#refresh * patience : this.#pollInterval;
    this.#claims = new QueuedClaims(this.#refresh);
    this.#arrivals = new Arrivals(together, deadline, runtime.clock);
    this.#subscription = new Subscription(parts, this.#claims, this.#refresh);
  }

  tryAcquire(claim: Claim, wake?: Wake): Promise<Grant | Busy> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    // Reading the clock costs time.
    const now = this.#now;
    const call: Call = { claim, waits: wake !== undefined, end: now + this.#parts.deadline.timeout };
    const known = this.#find(claim);
    if (known !== undefined) {
      known.comes(claim, wake);
      return this.#askAgain(known, call, now);
    }
    return call.waits ? this.#ask(new QueuedClaim(claim, wake), call, false, now) : this.#askOutside(call, now);
  }

  waitsFor(key: string): boolean {
    return this.#claims.waitsFor(key);
  }

  leave(claim: Claim): boolean {
    const mine = this.#find(claim);
    if (mine === undefined) return false;
    const { waits } = mine;
    this.#claims.leave(mine);
    this.#arrivals.pass(mine);
    return waits;
  }

  wake(owner: string, assigned?: Assignment): void {
    if (assigned !== undefined) this.#claims.get(owner)?.assign(assigned);
    this.#claims.notifyLater(owner, 'own');
  }

  close(reason: Error): void {
    this.#closed = reason;
    for (const mine of this.#arrivals.close()) this.#claims.add(mine);
    this.#claims.close();
    this.#subscription.close(reason);
  }

  /** The claim does not wait, and this call does not put it into the queue. */
  async #askOutside(call: Call, now: number): Promise<Grant | Busy> {
    const { claim } = call;
    const free = this.#tryFree(claim);
    const grant = free && (await free);
    this.#checkOpen();
    const answer = grant ?? (await this.#parts.attempt(this.#attemptOf(call)));
    if (answer.granted) this.#busyKeys.free(claim.key);
    else this.#foundBusy(claim.key, now);
    return answer;
  }

  /** A further call of a known claim: `stages.ts` decides what it does. */
  async #askAgain(mine: QueuedClaim, call: Call, begunAt: number): Promise<Grant | Busy> {
    for (let now = begunAt; ; now = this.#now) {
      const { answer, left } = mine.next(now, this.#refresh);
      if (answer === 'over') return this.#outcome(mine);
      if (answer === 'hear') {
        await mine.news();
        this.#checkOpen();
        continue;
      }
      if (answer === 'quiet' && call.waits) {
        mine.toldToWait(left, now);
        return { granted: false, retryAfter: left };
      }
      const told = answer === 'grant' ? this.#told(mine) : undefined;
      return told ?? (await this.#ask(mine, call, answer === 'ask with others', now));
    }
  }

  async #ask(mine: QueuedClaim, call: Call, withOthers: boolean, sentAt: number): Promise<Grant | Busy> {
    const { key, ttl } = call.claim;
    const first = mine.stage === 'outside';
    mine.ask();
    try {
      // A first call queues behind earlier calls on its key.
      const turn = first && call.waits ? this.#arrive(mine, false, sentAt) : undefined;
      const free = call.waits && turn === undefined ? this.#askFree(call) : undefined;
      // No needless turn of the event loop: a claim due in this tick is to be refreshed.
      let asked = free && (await free);
      if (asked?.granted !== true)
        asked = await (call.waits ? this.#enter(mine, call, withOthers, turn, asked) : this.#attempt(mine, call));
      if (asked.granted) {
        if (first) this.#busyKeys.free(key);
        this.#claims.granted(mine, { token: asked.token, sentAt, validity: asked.validity ?? ttl });
        return asked;
      }
      if (call.waits) this.#subscription.check();
      // A message is newer than the answer.
      return (mine.stage === 'assigned' ? this.#told(mine) : undefined) ?? asked;
    } catch (error) {
      // Core releases only a claim that may have left something. The release leaves the queue.
      const leavesNothing = first && isLockError(error) && error.sent === false;
      if (leavesNothing || isPermanent(error)) this.#claims.leave(mine);
      else {
        this.#claims.add(mine);
        mine.rejected();
      }
      throw error;
    } finally {
      if (first) this.#arrivals.pass(mine);
    }
  }

  /** A call alone on its key needs no entry in the table of owners. */
  #arrive(mine: QueuedClaim, keeps: boolean, now: number): Turn | undefined {
    const first = this.#arrivals.first(mine.claim.key);
    if (first !== undefined) for (const claim of [first, mine]) this.#claims.add(claim);
    return this.#arrivals.arrive(mine, keeps, now);
  }

  #find({ key, owner }: Claim): QueuedClaim | undefined {
    const first = this.#arrivals.first(key);
    return first?.claim.owner === owner ? first : this.#claims.get(owner);
  }

  /**
   * An attempt without a position, where the key may be free. A process whose keys are always free
   * needs no position and no subscription.
   */
  #askFree(call: Call): Promise<Attempted | undefined> | undefined {
    const { claim } = call;
    const free = this.#arrivals.areSeveral(claim.key) ? undefined : this.#tryFree(claim);
    return free ?? (this.#subscription.open ? undefined : this.#parts.attempt(this.#attemptOf(call)));
  }

  /**
   * Enters the queue only where a message reaches the claim. `before`: the result of `#askFree`.
   */
  async #enter(
    mine: QueuedClaim,
    call: Call,
    withOthers: boolean,
    turn: Turn | undefined,
    before: Attempted | undefined,
  ): Promise<Grant | Waiting> {
    const { key } = call.claim;
    const first = mine.stage === 'entering';
    if (first) this.#claims.add(mine);
    let decided = before;
    if (turn !== undefined) {
      await this.#opened(call);
      await this.#awaitTurn(mine, call, turn);
      const free = this.#askFree(call);
      decided = free && (await free);
      if (decided?.granted) return decided;
    }
    if (decided !== undefined) this.#foundBusy(key, this.#now);
    this.#checkOpen();
    const open = this.#subscription.open || (await this.#opened(call));
    if (mine.over) return this.#outcome(mine);
    if (!open) {
      // The cheaper attempt decided nothing.
      const answer = decided ?? (await this.#parts.attempt(this.#attemptOf(call)));
      if (answer.granted) return answer;
      this.#foundBusy(key, this.#now);
      return mine.polls({ granted: false, retryAfter: this.#pollInterval });
    }
    const awaited = this.#claims.waitsFor(key);
    const attempt = this.#attempt(mine, call, withOthers);
    // If none waits yet, it may be sent with calls on other keys. Later ones would overtake it.
    if (first && awaited && this.#parts.together === Infinity) this.#arrivals.pass(mine);
    return await attempt;
  }

  /** Without `withOthers` the claim takes no position. `true`: the call also refreshes others. */
  async #attempt(mine: QueuedClaim, call: Call, withOthers?: boolean): Promise<Attempted> {
    const claims = this.#claims;
    const sentAt = this.#now;
    const others = withOthers === true ? claims.carriedBy(mine, sentAt) : [];
    const gated = others.length > 0 && this.#parts.together !== Infinity;
    let answer: Attempted;
    try {
      const turn = gated ? this.#arrive(mine, true, sentAt) : undefined;
      if (turn !== undefined) await this.#awaitTurn(mine, call, turn);
      const shown = withOthers === undefined ? undefined : others.filter(({ over }) => !over);
      answer = await this.#parts.attempt(this.#attemptOf(call, shown, shown !== undefined && mine.send()));
    } catch (error) {
      for (const other of others) other.carried('carrier-failed');
      throw error;
    } finally {
      if (gated) this.#arrivals.pass(mine);
    }
    for (const other of others) claims.carried(other, answer.kept?.includes(other.claim.owner) === true);
    if (answer.granted) return answer;
    this.#foundBusy(call.claim.key, sentAt);
    if (withOthers === undefined) return mine.polls(answer);
    mine.busy(answer.retryAfter, answer.retryAfter < Math.floor(this.#refresh), this.#now);
    claims.show(mine, sentAt);
    return answer;
  }

  #attemptOf(call: Call, others?: readonly QueuedClaim[], repeated = false): Attempt {
    const { claim } = call;
    const awaited = this.#claims.waitsFor(claim.key);
    return { claim, others: others?.map((other) => other.claim), repeated, awaited, within: this.#left(call) };
  }

  /** Waits for its turn. A claim abandoned meanwhile leaves nothing to release. */
  async #awaitTurn(mine: QueuedClaim, call: Call, turn: Turn): Promise<void> {
    await turn(call.end);
    this.#checkOpen();
    if (mine.over) throw unsent(mine.claim.key, 'The claim was abandoned before its attempt was sent.');
  }

  #opened(call: Call): Promise<boolean> {
    return this.#subscription.whenOpen(Math.min(this.#patience, this.#left(call)));
  }

  #left({ end }: Call): number {
    return Math.max(1, end - this.#now);
  }

  /** A cheaper attempt. Not worth its cost where the key is busy and messages arrive. */
  #tryFree(claim: Claim): Promise<Grant | undefined> | undefined {
    if (this.#parts.tryFree === undefined || this.#claims.waitsFor(claim.key)) return undefined;
    const isBusy = this.#subscription.open && this.#busyKeys.has(claim.key, this.#now);
    return isBusy ? undefined : this.#parts.tryFree(claim);
  }

  #foundBusy(key: string, sentAt: number): void {
    if (this.#parts.tryFree !== undefined) this.#busyKeys.found(key, sentAt);
  }

  /** The grant reported by a message, while it certainly lasts. */
  #told(mine: QueuedClaim): Grant | undefined {
    const { grant, claim } = mine;
    const validity = grant && lastsFor(grant, claim, this.#parts.runtime.clock.exact());
    if (grant === undefined || validity === undefined) return undefined;
    this.#claims.granted(mine, grant);
    return { granted: true, token: grant.token, validity };
  }

  /** The outcome of a claim that another call of it ended: granted, or released. */
  #outcome(mine: QueuedClaim): Grant | Waiting {
    if (mine.grant === undefined) return { granted: false, retryAfter: this.#pollInterval };
    const told = this.#told(mine);
    if (told !== undefined) return told;
    throw new LockError('LOCK_UNAVAILABLE', 'Another attempt of this claim was granted, too long ago to be usable.', {
      key: mine.claim.key,
    });
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  get #now(): number {
    return this.#parts.runtime.clock.now();
  }
}
