import type { Place } from './place.ts';

/** How many places one call shows at most. More make its script block the server for longer. */
const shownTogether = 100;
/**
 * Places that were shown in the last half of a refresh are not shown again. A larger part shows
 * fewer places together, a smaller one shows them more often than needed.
 */
const shownLately = 1 / 2;

/** The places that calls have shown to the server, by key, those shown longest ago first. */
export class ShownPlaces {
  readonly #byKey = new Map<string, Set<Place>>();

  keys(): readonly string[] {
    return [...this.#byKey.keys()];
  }

  has(key: string): boolean {
    // Looking up a key hashes it.
    return this.#byKey.size > 0 && this.#byKey.has(key);
  }

  /** A call that was sent at `sentAt` shows `place`. */
  show(place: Place, sentAt: number): void {
    const { key } = place.claim;
    let line = this.#byKey.get(key);
    if (line === undefined) {
      line = new Set();
      this.#byKey.set(key, line);
    }
    line.delete(place);
    line.add(place);
    place.shownAt = sentAt;
  }

  remove(place: Place): void {
    const { key } = place.claim;
    const line = this.#byKey.get(key);
    line?.delete(place);
    if (line?.size === 0) this.#byKey.delete(key);
  }

  clear(): void {
    this.#byKey.clear();
  }

  /** The others on its key that a call of `place` is to show. Each is shown every `refresh` ms. */
  beside(place: Place, now: number, refresh: number): readonly Place[] {
    const others: Place[] = [];
    for (const other of this.#byKey.get(place.claim.key) ?? others) {
      if (other.shownAt === undefined || other.shownAt > now - refresh * shownLately) break;
      if (other === place || other.looks) continue;
      if (others.push(other) === shownTogether) break;
    }
    return others;
  }
}
