import { LockError } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import type { Claim } from '@locks/core';

/** The claims on one key whose first calls are under way. */
interface Company {
  readonly owners: Set<string>;
  /** Those of them that were given up. */
  readonly left: Set<string>;
  readonly first: string;
  /** Resolves when those behind the first of them can enter the line. */
  readonly decided: Promise<unknown>;
  /** Its call was answered, or failed. */
  readonly end?: () => void;
}

/**
 * The first calls on each key, in the order in which they came. Only the first of them makes the
 * cheaper attempt for a free key. With an attempt of its own each of those behind it, whose
 * statements may overtake each other, could have the key before it.
 */
export class Arrivals {
  readonly #deadline: Deadline;
  readonly #byKey = new Map<string, Company>();

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  /**
   * What the cheaper attempt of `claim` comes to; `undefined` where it has none. For one with
   * others before it that is `undefined`, too, as soon as it can enter the line behind them.
   */
  arrive<T>(claim: Claim, attempt?: () => Promise<T>): Promise<T | undefined> | undefined {
    const { key, owner } = claim;
    const company = this.#byKey.get(key);
    if (company?.owners.has(owner) === true) return attempt?.();
    if (company !== undefined) return this.#follow(company, claim);
    const own = { owners: new Set([owner]), left: new Set<string>(), first: owner };
    if (attempt === undefined) {
      let end!: () => void;
      const decided = new Promise<void>((resolve) => (end = resolve));
      this.#byKey.set(key, { ...own, decided, end });
      return undefined;
    }
    const answer = attempt();
    this.#byKey.set(key, { ...own, decided: answer });
    return answer;
  }

  async #follow(company: Company, { key, owner }: Claim): Promise<undefined> {
    company.owners.add(owner);
    // A silent attempt leaves it half of its time.
    const { timeout } = this.#deadline;
    await this.#deadline.race(company.decided, 'the claim before it', timeout / 2).catch(() => {});
    if (!company.left.has(owner)) return undefined;
    const message = 'The claim was given up before its attempt was sent.';
    throw new LockError('LOCK_UNAVAILABLE', message, { key, sent: false });
  }

  /** The claim is given up: what was not sent yet is not sent any more. */
  leave({ key, owner }: Claim): void {
    const company = this.#byKey.get(key);
    if (company?.owners.has(owner) === true) company.left.add(owner);
  }

  /** The call of `claim` was answered, or failed. */
  pass({ key, owner }: Claim): void {
    if (this.#byKey.size === 0) return;
    const company = this.#byKey.get(key);
    if (company?.first === owner) company.end?.();
    if (company?.owners.delete(owner) === true && company.owners.size === 0) this.#byKey.delete(key);
  }
}
