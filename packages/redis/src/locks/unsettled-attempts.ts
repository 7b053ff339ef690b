import type { ScriptSender } from '../wire/script-call.ts';

/**
 * The attempts that a client has not settled, by owner. An attempt that was given up at its
 * deadline still counts: the client of a Cluster may send it after calls that were made later.
 */
export class UnsettledAttempts {
  readonly #byOwner = new Map<string, Promise<unknown>>();

  /** `client`, whose calls count as attempts of `owner` until they settle. */
  sender(client: ScriptSender, owner: string): ScriptSender {
    return {
      status: client.status,
      evalsha: (...args) => this.#count(owner, client.evalsha(...args)),
      eval: (...args) => this.#count(owner, client.eval(...args)),
    };
  }

  /** Resolves when the attempts of `owner` have settled. `undefined` where there are none. */
  of(owner: string): Promise<unknown> | undefined {
    return this.#byOwner.size === 0 ? undefined : this.#byOwner.get(owner);
  }

  #count(owner: string, attempt: Promise<unknown>): Promise<unknown> {
    const all = Promise.allSettled([this.#byOwner.get(owner), attempt]);
    this.#byOwner.set(owner, all);
    void all.then(() => {
      if (this.#byOwner.get(owner) === all) this.#byOwner.delete(owner);
    });
    return attempt;
  }
}
