import type { Mode } from '../contract.ts';

/** A claim in line. */
export interface Waiter {
  readonly owner: string;
  readonly mode: Mode;
  readonly permits: number | undefined;
  readonly resize: true | undefined;
  /** The latest callback counts. */
  wake: () => void;
  /** The provider that called last for it. */
  provider: object;
  /** When its place lapses, unless an attempt of its own refreshes it. Its process may be gone. */
  deadline: number;
  previous: Waiter | undefined;
  next: Waiter | undefined;
}

/** The line in front of one key, first come first served. */
export class Queue {
  /** Made for the first waiter: most keys never see a line. */
  #byOwner: Map<string, Waiter> | undefined = undefined;
  #head: Waiter | undefined = undefined;
  #tail: Waiter | undefined = undefined;
  /** No deadline is before it, so most purges look at nothing. */
  #nextExpiry = Infinity;

  get size(): number {
    return this.#byOwner?.size ?? 0;
  }

  get head(): Waiter | undefined {
    return this.#head;
  }

  get(owner: string): Waiter | undefined {
    return this.#byOwner?.get(owner);
  }

  add(waiter: Waiter): void {
    waiter.previous = this.#tail;
    if (this.#tail === undefined) this.#head = waiter;
    else this.#tail.next = waiter;
    this.#tail = waiter;
    this.#byOwner ??= new Map();
    this.#byOwner.set(waiter.owner, waiter);
    this.#nextExpiry = Math.min(this.#nextExpiry, waiter.deadline);
  }

  remove(owner: string): void {
    const waiter = this.#byOwner?.get(owner);
    if (waiter === undefined) return;
    this.#byOwner?.delete(owner);
    if (this.#byOwner?.size === 0) this.#byOwner = undefined;
    if (waiter.previous === undefined) this.#head = waiter.next;
    else waiter.previous.next = waiter.next;
    if (waiter.next === undefined) this.#tail = waiter.previous;
    else waiter.next.previous = waiter.previous;
  }

  /** Drops every waiter whose deadline has passed, wherever it stands. */
  purge(now: number): void {
    if (now < this.#nextExpiry || this.#byOwner === undefined) return;
    this.#nextExpiry = Infinity;
    for (const waiter of this.#byOwner.values()) {
      if (waiter.deadline <= now) this.remove(waiter.owner);
      else this.#nextExpiry = Math.min(this.#nextExpiry, waiter.deadline);
    }
  }

  /** The permits that a claim in line fixes. `undefined`: none does. */
  sharedPermits(): { readonly permits: number | undefined } | undefined {
    for (let waiter = this.#head; waiter !== undefined; waiter = waiter.next) {
      if (waiter.mode === 'shared' && !waiter.resize) return waiter;
    }
    return undefined;
  }
}
