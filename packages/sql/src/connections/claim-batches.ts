import { Batches, LockError } from '@locks/core/adapter';
import type { Clock } from '@locks/core/adapter';
import type { Claim } from '@locks/core';

/** How one kind of call is made, for many claims and for one. */
export interface JointCalls<T> {
  /**
   * One statement for exclusive claims whose keys and owners all differ. It settles within the
   * timeout. What became of each claim by its owner. A claim that is missing was left as it was.
   */
  each(claims: readonly Claim[]): Promise<ReadonlyMap<string, T>>;
  /** The call of a claim without company. */
  alone(claim: Claim): Promise<T>;
  /** That of a claim that `each` has left, with `within` ms of its time. */
  left(claim: Claim, within: number): Promise<T>;
}

interface BatchedClaim<T> {
  readonly claim: Claim;
  readonly resolve: (outcome: T | Promise<T>) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends the exclusive claims of one tick as one statement. A claim without company goes alone. */
export class ClaimBatches<T> {
  readonly #calls: JointCalls<T>;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #batches: Batches<BatchedClaim<T>>;

  /** `timeout`: how long a call may take, in ms. */
  constructor(calls: JointCalls<T>, timeout: number, clock: Clock) {
    this.#calls = calls;
    this.#timeout = timeout;
    this.#clock = clock;
    this.#batches = new Batches({
      fits: ({ claim }, batch) => batch.every((other) => fits(claim, other.claim)),
      sendAlone: ({ claim, resolve }) => resolve(calls.alone(claim)),
      send: (members) => void this.#send(members),
    });
  }

  call(claim: Claim): Promise<T> {
    return new Promise((resolve, reject) => this.#batches.add({ claim, resolve, reject }));
  }

  async #send(members: readonly BatchedClaim<T>[]): Promise<void> {
    const end = this.#clock.now() + this.#timeout;
    let decided: ReadonlyMap<string, T>;
    try {
      decided = await this.#calls.each(members.map(({ claim }) => claim));
    } catch (error) {
      for (const { claim, reject } of members) reject(ofKey(error as LockError, claim.key));
      return;
    }
    const within = Math.max(1, end - this.#clock.now());
    for (const { claim, resolve } of members) {
      resolve(decided.get(claim.owner) ?? this.#calls.left(claim, within));
    }
  }
}

/** Whether a statement can have both claims. */
function fits(one: Claim, other: Claim): boolean {
  return one.ttl === other.ttl && one.floor === other.floor && one.key !== other.key && one.owner !== other.owner;
}

/** The error of all, as that of one key. */
function ofKey({ code, message, cause, sent }: LockError, key: string): LockError {
  return new LockError(code, message, { cause, sent, key });
}
