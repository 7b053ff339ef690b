import type { Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { EachStore, LockStore, Released, Renewed } from '../dialect/stores/lock-store.ts';
import type { StoreCalls } from './store-calls.ts';
import { ClaimBatches } from './claim-batches.ts';
import type { JointCalls } from './claim-batches.ts';

/** The calls of exclusive claims that travel together where the store has statements for many. */
interface Joint {
  readonly acquires: ClaimBatches<bigint | undefined>;
  readonly renewals: ClaimBatches<Renewed>;
  readonly releases: ClaimBatches<Released>;
}

/** The calls that a store decides by the row of one key. */
export class KeyCalls {
  readonly #calls: StoreCalls;
  readonly #store: LockStore;
  readonly #joint: Joint | undefined;

  constructor(calls: StoreCalls, store: LockStore, runtime: Runtime) {
    this.#calls = calls;
    this.#store = store;
    this.#joint = store.each && this.#createJoint(store.each, runtime);
  }

  /** The token of an exclusive claim. `undefined`: another statement must decide. */
  acquireFree(claim: Claim): Promise<bigint | undefined> {
    return this.#joint?.acquires.call(claim) ?? this.#acquireFree(claim);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewed> {
    this.#calls.checkOpen();
    const joint = claim.mode === 'exclusive' && token === undefined ? this.#joint : undefined;
    return await (joint?.renewals.call(claim) ?? this.#renew(claim, token));
  }

  /** `waits`: other claims of this process are in line. `waited`: this one was. */
  async release(claim: Claim, waits: boolean, waited: boolean): Promise<Released> {
    this.#calls.checkOpen();
    const inLine = waits || waited;
    // The statement for many leaves keys with a line.
    const joint = claim.mode === 'exclusive' && !inLine ? this.#joint : undefined;
    return await (joint?.releases.call(claim) ?? this.#release(claim, inLine, !waited));
  }

  #createJoint(each: EachStore<unknown>, { clock }: Runtime): Joint {
    const calls = this.#calls;
    const { timeout } = calls.deadline;
    const batches = <T>(joint: JointCalls<T>): ClaimBatches<T> => new ClaimBatches(joint, timeout, clock);
    return {
      acquires: batches({
        each: (claims) => calls.run((connection) => each.acquire(connection, claims), { what: 'an acquire' }),
        alone: (claim) => this.#acquireFree(claim),
        left: async () => undefined,
      }),
      renewals: batches({
        each: (claims) => calls.run((connection) => each.renew(connection, claims), { what: 'a renewal', first: true }),
        alone: (claim) => this.#renew(claim),
        left: (claim, within) => this.#renew(claim, undefined, within),
      }),
      releases: batches({
        each: (claims) =>
          calls.run((connection) => each.release(connection, claims), { what: 'a release', first: true }),
        alone: (claim) => this.#release(claim, false, true),
        left: (claim, within) => this.#release(claim, false, true, within),
      }),
    };
  }

  async #acquireFree(claim: Claim): Promise<bigint | undefined> {
    const about = { what: 'an acquire', claim };
    return await this.#calls.run((connection) => this.#store.acquireFree(connection, claim), about);
  }

  async #renew(claim: Claim, token?: bigint, within?: number): Promise<Renewed> {
    const about = { what: 'a renewal', claim, within, first: true };
    return await this.#calls.run((connection) => this.#store.renew(connection, claim, token), about);
  }

  async #release(claim: Claim, inLine: boolean, first: boolean, within?: number): Promise<Released> {
    const about = { what: 'a release', claim, within, first };
    return await this.#calls.run((connection) => this.#store.release(connection, claim, inLine), about);
  }
}
