import type { ScriptClient } from '../wire/client.ts';
import type { ScriptSender } from '../wire/script-call.ts';

/** The attempts of one owner that the client has not settled. */
export interface Unsettled {
  /** Resolves when they have settled. */
  readonly settled: Promise<unknown>;
  /** The latest attempt has settled, and an earlier one has not. */
  overtaken: boolean;
}

/**
 * The attempts that a client has not settled, by owner. An attempt abandoned at its deadline still
 * counts: the client of a Cluster may send it after later calls.
 */
export class UnsettledAttempts {
  readonly #byOwner = new Map<string, Unsettled>();

  /** `client`, whose calls count as attempts of `owner` until they settle. */
  sender(client: ScriptClient, owner: string): ScriptSender {
    return {
      status: client.status,
      over: client,
      evalsha: (...args) => this.#count(owner, client.evalsha(...args)),
      eval: (...args) => this.#count(owner, client.eval(...args)),
    };
  }

  /** The attempts of `owner`. `undefined`: none. */
  of(owner: string): Unsettled | undefined {
    return this.#byOwner.size === 0 ? undefined : this.#byOwner.get(owner);
  }

  #count(owner: string, latest: Promise<unknown>): Promise<unknown> {
    const settled = Promise.allSettled([this.#byOwner.get(owner)?.settled, latest]);
    const attempts: Unsettled = { settled, overtaken: false };
    this.#byOwner.set(owner, attempts);
    const overtake = (): void => void (attempts.overtaken = true);
    latest.then(overtake, overtake);
    void settled.then(() => {
      if (this.#byOwner.get(owner) === attempts) this.#byOwner.delete(owner);
    });
    return latest;
  }
}
