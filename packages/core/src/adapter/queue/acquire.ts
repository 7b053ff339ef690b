import type { Busy, Claim, Grant, Wake } from '../../contract.ts';
import { isLockError, isPermanent } from '../../errors/lock-error.ts';
import type { ProcessQueue } from './process-queue.ts';
import { unsent } from './arrivals.ts';
import type { Wait } from './arrivals.ts';
import type { Attempt, Attempted, Waiting } from './queue-parts.ts';
import type { QueuedClaim } from './queued-claim.ts';

/** One call of `tryAcquire`, from top to bottom. `stages.ts` says what a claim may do next. */
export class Acquire {
  readonly #queue: ProcessQueue;
  readonly #claim: Claim;
  /** When it began, or heard of another call, by the clock: to read that costs time. */
  #now: number;
  readonly #end: number;

  constructor(queue: ProcessQueue, claim: Claim) {
    this.#queue = queue;
    this.#claim = claim;
    this.#now = queue.now;
    this.#end = this.#now + queue.parts.deadline.timeout;
  }

  async run(wake: Wake | undefined): Promise<Grant | Busy> {
    const queue = this.#queue;
    const { claims } = queue;
    queue.checkOpen();
    if (wake === undefined && claims.get(this.#claim.owner) === undefined) return await this.#askOutside();
    const mine = claims.come(this.#claim, wake);
    for (;;) {
      const { answer, left } = mine.next(this.#now, queue.refresh);
      if (answer === 'over') return queue.outcome(mine);
      if (answer === 'hear') {
        await mine.news();
        queue.checkOpen();
        this.#now = queue.now;
      } else if (answer === 'quiet' && wake !== undefined) {
        mine.toldToWait(left, this.#now);
        return { granted: false, retryAfter: left };
      } else {
        const told = answer === 'grant' ? queue.told(mine) : undefined;
        return told ?? (await this.#ask(mine, answer, wake !== undefined));
      }
    }
  }

  async #ask(mine: QueuedClaim, answer: string, waits: boolean): Promise<Grant | Busy> {
    const { claims, arrivals, busyKeys, subscription } = this.#queue;
    const { key, ttl } = this.#claim;
    const sentAt = this.#now;
    const first = mine.stage === 'outside';
    mine.ask();
    try {
      const asked = await (waits ? this.#enter(mine, first, answer === 'ask with others') : this.#attempt(mine));
      if (asked.granted) {
        if (first) busyKeys.free(key);
        claims.granted(mine, { token: asked.token, sentAt, validity: asked.validity ?? ttl });
        return asked;
      }
      if (waits) subscription.check();
      // A message told more than the answer, which is older.
      return (mine.stage === 'assigned' ? this.#queue.told(mine) : undefined) ?? asked;
    } catch (error) {
      // Core releases only a claim that may have left something. The release leaves the queue.
      const leavesNothing = first && isLockError(error) && error.sent === false;
      if (leavesNothing || isPermanent(error)) claims.leave(mine);
      else mine.rejected();
      throw error;
    } finally {
      if (first) arrivals.pass(mine);
    }
  }

  /**
   * A first call goes behind those that came before it on the key, and into the queue only where a
   * message reaches it.
   */
  async #enter(mine: QueuedClaim, first: boolean, withOthers: boolean): Promise<Grant | Waiting> {
    const { parts, arrivals, subscription, pollInterval, patience } = this.#queue;
    const turn = first ? arrivals.arrive(mine, false, this.#now) : undefined;
    if (turn !== undefined) {
      await subscription.whenOpen(Math.min(patience, this.#left));
      await this.#awaitTurn(mine, turn);
    }
    const free =
      this.#queue.isBusy(this.#claim.key) || arrivals.hasCompany(mine) ? undefined : parts.tryFree?.(this.#claim);
    // A process whose keys are always free needs no place, and no subscription.
    const asked = free ?? (subscription.open ? undefined : this.#attemptOutside());
    // No turn of the event loop without need: a claim that is due in this tick is to be shown.
    const decided = asked && (await asked);
    if (decided?.granted) return decided;
    this.#queue.checkOpen();
    const open = subscription.open || (await subscription.whenOpen(Math.min(patience, this.#left)));
    if (mine.over) return this.#queue.outcome(mine);
    if (!open) {
      // The cheaper attempt has decided nothing.
      const answer = decided ?? (await this.#attemptOutside());
      return answer.granted ? answer : mine.polls({ granted: false, retryAfter: pollInterval });
    }
    const attempt = this.#attempt(mine, withOthers);
    if (first && parts.together === Infinity) arrivals.pass(mine);
    return await attempt;
  }

  /** Without `withOthers` the claim takes no place. `true`: the call keeps others' places too. */
  async #attempt(mine: QueuedClaim, withOthers?: boolean): Promise<Attempted> {
    const { parts, claims, arrivals, refresh } = this.#queue;
    const sentAt = this.#queue.now;
    const others = withOthers === true ? claims.carriedBy(mine, sentAt) : [];
    const gated = others.length > 0 && parts.together !== Infinity;
    let answer: Attempted;
    try {
      const turn = gated ? arrivals.arrive(mine, true, sentAt) : undefined;
      if (turn !== undefined) await this.#awaitTurn(mine, turn);
      const shown = others.filter(({ over }) => !over);
      answer = await parts.attempt(withOthers === undefined ? this.#call() : this.#call(shown, mine.send()));
    } catch (error) {
      for (const other of others) other.carried('carrier-failed');
      throw error;
    } finally {
      if (gated) arrivals.pass(mine);
    }
    for (const other of others) claims.carried(other, answer.kept?.includes(other.claim.owner) === true);
    if (answer.granted) return answer;
    this.#queue.foundBusy(this.#claim.key, sentAt);
    if (withOthers === undefined) return mine.polls(answer);
    mine.busy(answer.retryAfter, answer.retryAfter < Math.floor(refresh), this.#queue.now);
    claims.show(mine, sentAt);
    return answer;
  }

  /** The claim does not wait for its turn, and this call puts it into no queue. */
  async #askOutside(): Promise<Grant | Busy> {
    const { parts, busyKeys } = this.#queue;
    const grant = this.#queue.isBusy(this.#claim.key) ? undefined : await parts.tryFree?.(this.#claim);
    this.#queue.checkOpen();
    const answer = grant ?? (await this.#attemptOutside());
    if (answer.granted) busyKeys.free(this.#claim.key);
    return answer;
  }

  async #attemptOutside(): Promise<Attempted> {
    const answer = await this.#queue.parts.attempt(this.#call());
    if (!answer.granted) this.#queue.foundBusy(this.#claim.key, this.#now);
    return answer;
  }

  #call(others?: readonly QueuedClaim[], repeated = false): Attempt {
    const awaited = this.#queue.claims.waitsFor(this.#claim.key);
    return { claim: this.#claim, others: others?.map(({ claim }) => claim), repeated, awaited, within: this.#left };
  }

  /** Waits for its turn. A claim that was given up meanwhile leaves nothing to release. */
  async #awaitTurn(mine: QueuedClaim, turn: Wait): Promise<void> {
    await turn(this.#end);
    this.#queue.checkOpen();
    if (mine.over) throw unsent(mine.claim.key, 'The claim was given up before its attempt was sent.');
  }

  get #left(): number {
    return Math.max(1, this.#end - this.#queue.now);
  }
}
