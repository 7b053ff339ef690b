/** What a composite knows about a claim. */
interface Known {
  readonly owner: string;
  /** Whether its hold has ended; then it also ends its remainder. */
  endIfOver(): boolean;
}

/** How many claims are checked for each new one. With one, they could pile up for longer. */
const looks = 2;

/**
 * After this many deletions the claims move to a new `Map`: with many insertions and deletions it
 * allocates new tables, and one in the old generation keeps all later ones in memory. With a larger
 * number, more claims stay in memory. With a smaller one, moving them costs more.
 */
const deletions = 64;

/** The claims that a composite knows, by owner. */
export class ClaimsByOwner<C extends Known> {
  #known = new Map<string, C>();
  #deleted = 0;

  get size(): number {
    return this.#known.size;
  }

  get(owner: string): C | undefined {
    return this.#known.get(owner);
  }

  values(): readonly C[] {
    return [...this.#known.values()];
  }

  add(claim: C): C {
    this.#known.set(claim.owner, claim);
    return claim;
  }

  /** Drops `claim`, unless its owner has another one by now. */
  delete(claim: { readonly owner: string }): void {
    if (this.#known.get(claim.owner) !== claim) return;
    this.#known.delete(claim.owner);
    this.#deleted += 1;
    if (this.#deleted < Math.max(deletions, this.#known.size)) return;
    this.#known = new Map(this.#known);
    this.#deleted = 0;
  }

  clear(): void {
    this.#known.clear();
  }

  /** The claim of `owner`, or a new one from `make`. */
  getOrMake(owner: string, make: () => C): C {
    const known = this.#known.get(owner);
    if (known !== undefined) return known;
    this.#forgetEnded();
    return this.add(make());
  }

  /**
   * The claim of `owner`, or a lease that another process, or this one before a restart, took.
   * `find`: what the members have of it. `adopt`: makes the claim of that.
   */
  async getOrAdopt<Holds>(
    owner: string,
    find: () => Promise<Holds | undefined>,
    adopt: (holds: Holds) => C,
  ): Promise<C | undefined> {
    const before = this.#known.get(owner);
    if (before !== undefined) return before;
    const holds = await find();
    // The owner may have called in the meantime.
    const known = this.#known.get(owner);
    return known !== undefined || holds === undefined ? known : this.add(adopt(holds));
  }

  /**
   * Drops claims whose holds have ended without a release: of transferred leases, and of keys in a
   * cooldown. The longest unseen comes first.
   */
  #forgetEnded(): void {
    let left = looks;
    for (const [owner, claim] of this.#known) {
      if (left === 0) break;
      left -= 1;
      this.#known.delete(owner);
      if (!claim.endIfOver()) this.#known.set(owner, claim);
    }
  }
}
