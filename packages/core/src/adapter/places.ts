/** One claim of this process that waits, or is about to. */
export interface Place {
  readonly key: string;
  readonly owner: string;
  /** How the store calls it. */
  readonly waiter: string;
  wake: () => void;
  /**
   * The last call that showed the server that it is still wanted, by the clock at its send. `undefined`: not in line yet. Counts
   * from the send on: many are due at about the same time. A call that fails shows nobody, but a place lasts for three.
   */
  shownAt: number | undefined;
  /** The send of the last answered call that certainly kept it at the server, by the clock. */
  keptAt: number;
  /** Until when its caller was told to wait. */
  waitUntil: number;
  /** It was told to look before its next sign of life is due: it is the head, and a holder will expire. */
  looks: boolean;
  /** Somebody else's call showed it since its own last attempt, and no wake came: the server has nothing new for it. */
  quiet: boolean;
}

/** As many places as one call shows at most: they make its script longer. */
const shownTogether = 100;
/** A place lasts for so many times `refresh` at the server, which counts from a moment after the send and may count a little faster. */
const certainFor = 2.9;

/**
 * This process's places in line. The server forgets a place that gives no sign of life, and a thousand waiters that each gave
 * one would send more commands than the locks themselves. So the call of one shows the others on its key too, and these are
 * answered without a call when their own time comes.
 */
export class Places {
  readonly #refresh: number;
  readonly #byOwner = new Map<string, Place>();
  /** By key; those that were shown longest ago first. */
  readonly #byKey = new Map<string, Set<Place>>();

  /** A place gives a sign of life every `refresh` ms, and lasts for three times as long without. */
  constructor(refresh: number) {
    this.#refresh = refresh;
  }

  get size(): number {
    return this.#byOwner.size;
  }

  /** The keys on which somebody is in line, as far as the server has answered. */
  keys(): readonly string[] {
    return [...this.#byKey.keys()];
  }

  /** Whether somebody is in line on `key`. */
  waitsFor(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** The place of `owner`, to be made if there is none; the latest `wake` counts. */
  take(key: string, owner: string, waiter: string, wake: () => void): Place {
    let place = this.#byOwner.get(owner);
    if (place === undefined) {
      place = {
        key,
        owner,
        waiter,
        wake,
        shownAt: undefined,
        keptAt: -Infinity,
        waitUntil: 0,
        looks: false,
        quiet: false,
      };
      this.#byOwner.set(owner, place);
    }
    place.wake = wake;
    return place;
  }

  /** Forgets the place: nothing wakes its claim any more. */
  leave(owner: string): void {
    // Looking up an owner hashes it.
    if (this.#byOwner.size === 0) return;
    const place = this.#byOwner.get(owner);
    if (place === undefined) return;
    this.#byOwner.delete(owner);
    const line = this.#byKey.get(place.key);
    line?.delete(place);
    if (line?.size === 0) this.#byKey.delete(place.key);
  }

  /** Forgets all places. Each claim is woken a last time: it tries again, and hears that its provider is closed. */
  close(): void {
    for (const { wake } of this.#byOwner.values()) queueMicrotask(wake);
    this.#byOwner.clear();
    this.#byKey.clear();
  }

  /** It is the turn of `owner`, as far as the server knows. */
  wake(owner: string): void {
    const place = this.#byOwner.get(owner);
    if (place === undefined) return;
    place.quiet = false;
    // Its next call is on the way of a lock from one holder to the next: it carries nobody else.
    place.waitUntil = Infinity;
    place.wake();
  }

  /** Messages may have been lost: everybody looks again. */
  wakeAll(): void {
    for (const { owner } of this.#byOwner.values()) queueMicrotask(() => this.wake(owner));
  }

  /** How long `place` may wait on without asking the server, in ms; `undefined`: it must ask. */
  quietFor(place: Place, now: number): number | undefined {
    // Whoever asks before its time has a reason to.
    if (!place.quiet || place.shownAt === undefined || now < place.waitUntil) return undefined;
    const left = place.shownAt + this.#refresh - now;
    if (left <= this.#refresh / 8) return undefined;
    this.#toldToWait(place, left, now);
    return left;
  }

  /** Which others on its key the call of `place` is to show, if it is sent for no other reason than that. */
  shownWith(place: Place, now: number): readonly Place[] {
    if (place.shownAt === undefined || now < place.waitUntil) return [];
    const others: Place[] = [];
    for (const other of this.#byKey.get(place.key) ?? []) {
      if (other.shownAt === undefined || other.shownAt > now - this.#refresh / 2) break;
      if (other === place || other.looks) continue;
      if (others.push(other) === shownTogether) break;
    }
    this.#show(place, now);
    for (const other of others) {
      // Already now: a wake that comes before the answer must not be forgotten.
      other.quiet = true;
      this.#show(other, now);
    }
    return others;
  }

  /**
   * The server answered the call that was sent at `sentAt` to show `others`. What had lapsed by then it did not bring back, and after a
   * stall that may be all of them: whoever may have been among these asks for a place of its own.
   */
  kept(others: readonly Place[], sentAt: number, now: number): void {
    for (const other of others) {
      if (now - other.keptAt < certainFor * this.#refresh) other.keptAt = Math.max(other.keptAt, sentAt);
      else queueMicrotask(() => this.wake(other.owner));
    }
  }

  /** The server answered the call of `place` that was sent at `sentAt`: busy, and told it to wait. */
  shown(place: Place, retryAfter: number, sentAt: number, now: number): void {
    if (this.#byOwner.get(place.owner) !== place) return;
    place.quiet = false;
    place.keptAt = Math.max(place.keptAt, sentAt);
    place.looks = retryAfter < Math.floor(this.#refresh);
    this.#toldToWait(place, retryAfter, now);
    this.#show(place, sentAt);
  }

  #show(place: Place, sentAt: number): void {
    let line = this.#byKey.get(place.key);
    if (line === undefined) {
      line = new Set();
      this.#byKey.set(place.key, line);
    }
    line.delete(place);
    line.add(place);
    place.shownAt = sentAt;
  }

  #toldToWait(place: Place, delay: number, now: number): void {
    // Core comes up to a tenth earlier.
    place.waitUntil = now + 0.85 * delay;
  }
}
