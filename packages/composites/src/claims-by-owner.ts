/** What a composite knows of a claim. */
interface Known {
  readonly owner: string;
  /** Whether its hold has ended; then it also ends what is left of it. */
  endIfOver(): boolean;
}

/** So many claims are looked at for each new one. With one, they could pile up for longer. */
const looks = 2;

/**
 * After so many deletions the claims move to a new `Map`. One whose entries come and go makes new
 * tables, and a table that has become old keeps all later ones in memory. With a larger number,
 * more claims stay in memory. With a smaller one, moving them costs more.
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

  /** Forgets `claim`, unless its owner has another one by now. */
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

  /** The claim of `owner`, or the one that `make` gives. */
  getOrMake(owner: string, make: () => C): C {
    const known = this.#known.get(owner);
    if (known !== undefined) return known;
    this.#forgetEnded();
    return this.add(make());
  }

  /**
   * The claim of `owner`, or a lease that another process took, or this one before a restart.
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
    // The owner may have asked meanwhile.
    const known = this.#known.get(owner);
    return known !== undefined || holds === undefined ? known : this.add(adopt(holds));
  }

  /**
   * Forgets claims whose holds have ended without a release: of leases that were handed over, and
   * of keys that rest. The longest unseen comes first.
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
