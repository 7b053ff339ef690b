import type { Mode } from '../contract.ts';

/** A hold on one key. */
export interface Hold {
  readonly owner: string;
  mode: Mode;
  permits: number | undefined;
  resize: true | undefined;
  token: number;
  expires: number;
}

/**
 * The holds on one key by owner. It is nearly always one, which needs no hash table, but any number
 * may share.
 */
export class Holds {
  #only: Hold | undefined = undefined;
  #several: Map<string, Hold> | undefined = undefined;

  get size(): number {
    return this.#several?.size ?? (this.#only === undefined ? 0 : 1);
  }

  get(owner: string): Hold | undefined {
    if (this.#several !== undefined) return this.#several.get(owner);
    return this.#only?.owner === owner ? this.#only : undefined;
  }

  /** Adds the hold of an owner that has none. */
  add(hold: Hold): void {
    if (this.#several !== undefined) {
      this.#several.set(hold.owner, hold);
    } else if (this.#only === undefined) {
      this.#only = hold;
    } else {
      this.#several = new Map([
        [this.#only.owner, this.#only],
        [hold.owner, hold],
      ]);
      this.#only = undefined;
    }
  }

  /** Whether there was one. */
  delete(owner: string): boolean {
    if (this.#several === undefined) {
      if (this.#only?.owner !== owner) return false;
      this.#only = undefined;
      return true;
    }
    const deleted = this.#several.delete(owner);
    if (this.#several.size === 0) this.#several = undefined;
    return deleted;
  }

  /** Drops what has expired. */
  purge(now: number): void {
    if (this.#only !== undefined && this.#only.expires <= now) this.#only = undefined;
    if (this.#several === undefined) return;
    for (const hold of this.#several.values()) if (hold.expires <= now) this.#several.delete(hold.owner);
    if (this.#several.size === 0) this.#several = undefined;
  }

  /** Any one of them: they are all shared, or it is the only one. */
  get any(): Hold | undefined {
    if (this.#several === undefined) return this.#only;
    for (const hold of this.#several.values()) return hold;
    return undefined;
  }

  /** All holds at present. */
  all(): readonly Hold[] {
    if (this.#several !== undefined) return [...this.#several.values()];
    return this.#only === undefined ? [] : [this.#only];
  }
}
