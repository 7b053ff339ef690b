import type { Busy, Claim, Grant, KeyState, Renewal } from '../../contract.ts';
import { LockError, leavesNothing } from '../../errors/lock-error.ts';
import { isAnswer } from '../lease/answers.ts';
import type { HandOffHost } from './hand-off-host.ts';
import { LocalHold } from './local-hold.ts';
import { LocalWaiters } from './local-waiters.ts';
import type { LocalWaiter } from './local-waiters.ts';

/**
 * Claims that wait here look this often, in ms. Each is woken when its turn has come, so with less
 * a long line only costs more.
 */
const restful = 60_000;

/**
 * The claims of this process for one key. Of those that wait the first one alone asks the store. It
 * waits here while the hold of this process may be handed to it.
 */
export class LocalLine {
  readonly #host: HandOffHost;
  readonly #emptied: () => void;
  readonly #waiters = new LocalWaiters();
  /** The latest comes last. An earlier one has ended, or its end is unknown. */
  #holds: readonly LocalHold[] = [];
  /** Why the store gave no answer to the latest attempt. */
  #trouble: { readonly cause: unknown } | undefined = undefined;

  /** `emptied`: called when it has no claim any more. */
  constructor(host: HandOffHost, emptied: () => void) {
    this.#host = host;
    this.#emptied = emptied;
  }

  holdOf(owner: string): LocalHold | undefined {
    return this.#holds.find((hold) => hold.knows(owner));
  }

  tryAcquire(claim: Claim, wake: (() => void) | undefined): Promise<Grant | Busy> {
    const hold = this.holdOf(claim.owner);
    // It has handed its hold on, and core does not try again after a release.
    if (hold !== undefined && hold.owner !== claim.owner) return Promise.resolve({ granted: false });
    if (hold !== undefined) return hold.attempt(claim);
    let waiter = this.#waiters.get(claim.owner);
    if (waiter === undefined) {
      if (wake === undefined || claim.mode === 'shared') return this.#host.provider.tryAcquire(claim, wake);
      waiter = this.#waiters.add(claim, wake);
    }
    waiter.wake = wake ?? waiter.wake;
    const isFirst = waiter === this.#waiters.first;
    if (isFirst && (waiter.asked || !this.#mayGoOn())) return this.#ask(waiter);
    if (this.#trouble === undefined || isFirst) {
      waiter.released = true;
      return Promise.resolve({ granted: false, retryAfter: restful });
    }
    this.#dropUnreleased(waiter);
    const message = `Another claim of this process asked for ${JSON.stringify(claim.key)}, and got no usable answer; see the cause.`;
    const options = { key: claim.key, sent: false, ...this.#trouble } as const;
    return Promise.reject(new LockError('LOCK_UNAVAILABLE', message, options));
  }

  renew(claim: Claim, token: bigint | undefined): Promise<Renewal | false> {
    const hold = this.holdOf(claim.owner);
    if (hold === undefined) return this.#host.provider.renew(claim, token);
    const ended = hold.owner !== claim.owner || hold.releasing !== undefined;
    return ended ? Promise.resolve(false) : hold.renew(claim, token);
  }

  release(claim: Claim): Promise<boolean> {
    const hold = this.holdOf(claim.owner);
    if (hold === undefined) return this.#leave(claim);
    if (hold.owner !== claim.owner) return Promise.resolve(false);
    if (hold.releasing !== undefined) return hold.releasing.then(() => false);
    const releasing = this.#end(hold, claim);
    // Behind its first steps.
    if (hold.owner === claim.owner) hold.releasing = releasing;
    return releasing;
  }

  /** `state` with the claims of this process as they are. */
  shown(state: KeyState): KeyState {
    const holders = state.holders.map((holder) => {
      const hold = this.#holds.find(({ stored }) => stored.owner === holder.owner);
      return hold === undefined ? holder : { ...holder, owner: hold.owner, token: hold.token };
    });
    return { ...state, holders, waiters: state.waiters + this.#waiters.unasked };
  }

  /** Nothing more is to be done for `hold`. */
  forget(hold: LocalHold): void {
    this.#host.timers.cancel(hold);
    this.#holds = this.#holds.filter((each) => each !== hold);
    this.#waiters.wakeFirst();
    this.#tidy();
  }

  wakeAll(): void {
    this.#waiters.wakeAll();
  }

  #mayGoOn(): boolean {
    return this.#holds.at(-1)?.mayGoOn(this.#host.clock.now()) === true;
  }

  async #ask(waiter: LocalWaiter): Promise<Grant | Busy> {
    const { clock, provider } = this.#host;
    const { asked, claim, wake } = waiter;
    const sentAt = clock.exact();
    waiter.asked = true;
    let answer: Grant | Busy;
    try {
      answer = await provider.tryAcquire(claim, wake);
    } catch (error) {
      const left = !leavesNothing(error);
      waiter.asked = asked || left;
      waiter.released ||= left;
      const isNew = this.#trouble === undefined;
      this.#trouble = { cause: error };
      // Those behind it must hear that the store is silent: that is no contention.
      if (isNew) this.#waiters.wakeAll();
      this.#dropUnreleased(waiter);
      throw error;
    }
    this.#trouble = undefined;
    waiter.released = true;
    if (!isAnswer(answer) || !answer.granted) return answer;
    this.#waiters.delete(waiter);
    const hold = new LocalHold(this.#host, claim, answer, sentAt, (due, now) => this.#due(due, now));
    this.#holds = [...this.#holds, hold];
    return answer;
  }

  #due(hold: LocalHold, now: number): void {
    if (hold.isKept(now)) this.#waiters.wakeFirst();
    else this.forget(hold);
  }

  /** Ends the present claim of `hold`. The hold goes to the next claim where that is possible. */
  async #end(hold: LocalHold, claim: Claim): Promise<boolean> {
    if (this.#nextFor(hold) !== undefined && (await hold.reserve())) {
      const next = this.#nextFor(hold);
      if (next !== undefined) return this.#pass(hold, next);
    }
    const releasing = hold.release(claim);
    this.#waiters.wakeFirst();
    try {
      const freed = await releasing;
      this.forget(hold);
      return freed;
    } catch (error) {
      hold.releasing = undefined;
      throw error;
    }
  }

  /** The claim that `hold` can be handed to. Another one may have a place in the store's line. */
  #nextFor(hold: LocalHold): LocalWaiter | undefined {
    const { first } = this.#waiters;
    if (first === undefined || first.asked || this.#holds.at(-1) !== hold) return undefined;
    return hold.fits(first.claim, this.#host.clock.exact()) ? first : undefined;
  }

  #pass(hold: LocalHold, next: LocalWaiter): boolean {
    const { told } = hold;
    this.#waiters.delete(next);
    hold.pass(next.claim.owner);
    this.#waiters.wake(next);
    return told;
  }

  /** After a rejection. If it tries again, it takes a new place. */
  #dropUnreleased(waiter: LocalWaiter): void {
    if (!waiter.released) this.#drop(waiter);
  }

  #drop(waiter: LocalWaiter): void {
    const wasFirst = waiter === this.#waiters.first;
    this.#waiters.delete(waiter);
    if (wasFirst) this.#waiters.wakeFirst();
    this.#tidy();
  }

  #leave(claim: Claim): Promise<boolean> {
    const waiter = this.#waiters.get(claim.owner);
    if (waiter === undefined) return this.#host.provider.release(claim);
    this.#drop(waiter);
    return waiter.asked ? this.#host.provider.release(claim) : Promise.resolve(false);
  }

  #tidy(): void {
    if (this.#holds.length === 0 && this.#waiters.size === 0) this.#emptied();
  }
}
