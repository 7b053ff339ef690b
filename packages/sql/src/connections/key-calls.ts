import { Batches, LockError } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { EachStore, LockStore, Released, Renewed } from '../dialect/stores/lock-store.ts';
import type { TableCalls } from './table-calls.ts';

/** The calls of exclusive claims that travel together where the store has statements for many. */
interface Joint {
  readonly acquires: Batches<Claim, bigint | undefined>;
  readonly renewals: Batches<Claim, Renewed>;
  readonly releases: Batches<Claim, Released>;
}

/** The calls that a store decides by the row of one key. */
export class KeyCalls {
  readonly #calls: TableCalls;
  readonly #store: LockStore;
  readonly #joint: Joint | undefined;

  constructor(calls: TableCalls, store: LockStore, runtime: Runtime) {
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

  /** `waits`: other claims of this process are in the queue. `waited`: this one was. */
  async release(claim: Claim, waits: boolean, waited: boolean): Promise<Released> {
    this.#calls.checkOpen();
    const inQueue = waits || waited;
    // The statement for many leaves keys with a queue.
    const joint = claim.mode === 'exclusive' && !inQueue ? this.#joint : undefined;
    return await (joint?.releases.call(claim) ?? this.#release(claim, inQueue, !waited));
  }

  #createJoint(each: EachStore<unknown>, { clock }: Runtime): Joint {
    const calls = this.#calls;
    const batches = <T>({ what, first, decide, alone, left = alone }: JointCalls<T>): Batches<Claim, T> =>
      new Batches<Claim, T>({
        fits: (claim, batch) => batch.every((other) => fits(claim, other)),
        alone: (claim) => alone(claim),
        async together(claims) {
          const end = clock.now() + calls.deadline.timeout;
          const decided = await calls.run((connection) => decide(connection, claims), { what, first });
          const within = Math.max(1, end - clock.now());
          return claims.map((claim) => decided.get(claim.owner) ?? left(claim, within));
        },
        failed: (error, { key }) => ofKey(error as LockError, key),
      });
    return {
      acquires: batches<bigint | undefined>({
        what: 'an acquire',
        decide: each.acquire.bind(each),
        alone: (claim) => this.#acquireFree(claim),
        left: async () => undefined,
      }),
      renewals: batches({
        what: 'a renewal',
        first: true,
        decide: each.renew.bind(each),
        alone: (claim, within) => this.#renew(claim, undefined, within),
      }),
      releases: batches({
        what: 'a release',
        first: true,
        decide: each.release.bind(each),
        alone: (claim, within) => this.#release(claim, false, true, within),
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

  async #release(claim: Claim, inQueue: boolean, first: boolean, within?: number): Promise<Released> {
    const about = { what: 'a release', claim, within, first };
    return await this.#calls.run((connection) => this.#store.release(connection, claim, inQueue), about);
  }
}

/** How one kind of call is made, for many claims and for one. */
interface JointCalls<T> {
  readonly what: string;
  /** It goes before attempts. */
  readonly first?: boolean;
  readonly decide: (connection: unknown, claims: readonly Claim[]) => Promise<ReadonlyMap<string, T>>;
  /** The call of a claim without company. */
  readonly alone: (claim: Claim, within?: number) => Promise<T>;
  /** That of a claim that `decide` has left, with `within` ms of its time. @default alone */
  readonly left?: (claim: Claim, within: number) => Promise<T>;
}

/** Whether a statement can have both claims. */
function fits(one: Claim, other: Claim): boolean {
  return one.ttl === other.ttl && one.floor === other.floor && one.key !== other.key && one.owner !== other.owner;
}

/** The error of all, as that of one key. */
function ofKey({ code, message, cause, sent }: LockError, key: string): LockError {
  return new LockError(code, message, { cause, sent, key });
}
