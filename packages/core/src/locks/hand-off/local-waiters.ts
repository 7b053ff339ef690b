import type { Claim } from '../../contract.ts';
import { LinkedSet } from '../ending/linked-set.ts';
import type { LinkedMember } from '../ending/linked-set.ts';

/** A claim that waits in this process, or asks the store. */
export interface LocalWaiter extends LinkedMember {
  readonly claim: Claim;
  wake: () => void;
  /** The store may have something of it. */
  asked: boolean;
  /** Core releases it if it gives up. It does not if all of its calls certainly left nothing. */
  released: boolean;
}

const soon = Promise.resolve();

/** The claims of this process that wait for one key, in the order in which they came. */
export class LocalWaiters {
  readonly #order = new LinkedSet<LocalWaiter>();
  readonly #byOwner = new Map<string, LocalWaiter>();

  get first(): LocalWaiter | undefined {
    return this.#order.first;
  }

  get size(): number {
    return this.#byOwner.size;
  }

  /** How many of them the store knows nothing of. */
  get unasked(): number {
    return [...this.#byOwner.values()].filter(({ asked }) => !asked).length;
  }

  get(owner: string): LocalWaiter | undefined {
    return this.#byOwner.get(owner);
  }

  add(claim: Claim, wake: () => void): LocalWaiter {
    const waiter: LocalWaiter = {
      claim,
      wake,
      asked: false,
      released: false,
      setPrevious: undefined,
      setNext: undefined,
    };
    this.#byOwner.set(claim.owner, waiter);
    this.#order.add(waiter);
    return waiter;
  }

  delete(waiter: LocalWaiter): void {
    this.#order.delete(waiter);
    this.#byOwner.delete(waiter.claim.owner);
  }

  wakeFirst(): void {
    this.wake(this.first);
  }

  wakeAll(): void {
    for (const waiter of this.#byOwner.values()) this.wake(waiter);
  }

  /** Never synchronously: the caller must not run the waiter's code. */
  wake(waiter: LocalWaiter | undefined): void {
    if (waiter !== undefined) void soon.then(() => waiter.wake());
  }
}
