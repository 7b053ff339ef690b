import { LockError } from '@locks/core/adapter';
import type { Deadline } from '@locks/core/adapter';
import type { Claim } from '@locks/core';

/** The claims on one key whose first calls are under way. */
interface Company {
  readonly first: string;
  /** The call of the first of them is under way. */
  isFirstIn: boolean;
  /** Those behind it, and which of them were given up. Most have none. */
  followers: Map<string, { left: boolean }> | undefined;
  /** Resolves when they can enter the line. */
  readonly decided: Promise<unknown>;
  /** The call of the first was answered, or failed. */
  readonly end: (() => void) | undefined;
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
    if (company === undefined) return this.#lead(claim, attempt);
    if (isIn(company, owner)) return attempt?.();
    return this.#follow(company, claim);
  }

  #lead<T>({ key, owner: first }: Claim, attempt?: () => Promise<T>): Promise<T> | undefined {
    const answer = attempt?.();
    let end: (() => void) | undefined;
    const decided = answer ?? new Promise<void>((resolve) => (end = resolve));
    this.#byKey.set(key, { first, isFirstIn: true, followers: undefined, decided, end });
    return answer;
  }

  async #follow(company: Company, { key, owner }: Claim): Promise<undefined> {
    const follower = { left: false };
    (company.followers ??= new Map()).set(owner, follower);
    // A silent attempt leaves it half of its time.
    const { timeout } = this.#deadline;
    await this.#deadline.race(company.decided, 'the claim before it', timeout / 2).catch(() => {});
    if (!follower.left) return undefined;
    const message = 'The claim was given up before its attempt was sent.';
    throw new LockError('LOCK_UNAVAILABLE', message, { key, sent: false });
  }

  /** The claim is given up: what was not sent yet is not sent any more. */
  leave({ key, owner }: Claim): void {
    const follower = this.#byKey.get(key)?.followers?.get(owner);
    if (follower !== undefined) follower.left = true;
  }

  /** The call of `claim` was answered, or failed. */
  pass({ key, owner }: Claim): void {
    const company = this.#byKey.get(key);
    if (company === undefined) return;
    if (company.first === owner) {
      company.isFirstIn = false;
      company.end?.();
    } else company.followers?.delete(owner);
    if (!company.isFirstIn && (company.followers?.size ?? 0) === 0) this.#byKey.delete(key);
  }
}

function isIn({ first, isFirstIn, followers }: Company, owner: string): boolean {
  return (isFirstIn && first === owner) || followers?.has(owner) === true;
}
