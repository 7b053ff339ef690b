import { Batches, LockError } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { LockStore, Released, Renewed } from '../dialect/stores/lock-store.ts';
import type { TableCalls } from './table-calls.ts';

/** The calls that a store decides by the row of one key. */
export interface KeyCalls {
  /** The token of an exclusive claim. `undefined`: another statement must decide. */
  acquireFree(claim: Claim): Promise<bigint | undefined>;
  renew(claim: Claim, token?: bigint): Promise<Renewed>;
  /** `waits`: other claims of this process are in the queue. `waited`: this one was. */
  release(claim: Claim, waits: boolean, waited: boolean): Promise<Released>;
}

/** How calls of one kind are made, for many claims and for one. */
interface Kind<T> {
  readonly what: string;
  /** It precedes attempts. */
  readonly first: boolean;
  readonly decide: (connection: unknown, claims: readonly Claim[]) => Promise<ReadonlyMap<string, T>>;
  /** The call of a single claim. */
  readonly alone: (claim: Claim, within?: number) => Promise<T>;
  /** The call of a claim that `decide` left undecided, with `within` ms left. @default alone */
  readonly left?: (claim: Claim, within: number) => Promise<T>;
}

/** Calls of exclusive claims are batched if the store has statements for many. */
export function createKeyCalls(calls: TableCalls, store: LockStore, { clock }: Runtime): KeyCalls {
  const acquireAlone = async (claim: Claim): Promise<bigint | undefined> =>
    await calls.run((connection) => store.acquireFree(connection, claim), { what: 'an acquire', claim });
  const renewAlone = async (claim: Claim, token?: bigint, within?: number): Promise<Renewed> => {
    const about = { what: 'a renewal', claim, within, first: true };
    return await calls.run((connection) => store.renew(connection, claim, token), about);
  };
  const releaseAlone = async (claim: Claim, inQueue: boolean, first: boolean, within?: number): Promise<Released> => {
    const about = { what: 'a release', claim, within, first };
    return await calls.run((connection) => store.release(connection, claim, inQueue), about);
  };
  const together = <T>({ what, first, decide, alone, left = alone }: Kind<T>): Batches<Claim, T> =>
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
  const { each } = store;
  const joint = each && {
    acquires: together<bigint | undefined>({
      what: 'an acquire',
      first: false,
      decide: (...args) => each.acquire(...args),
      alone: acquireAlone,
      left: async () => undefined,
    }),
    renewals: together<Renewed>({
      what: 'a renewal',
      first: true,
      decide: (...args) => each.renew(...args),
      alone: (claim, within) => renewAlone(claim, undefined, within),
    }),
    releases: together<Released>({
      what: 'a release',
      first: true,
      decide: (...args) => each.release(...args),
      alone: (claim, within) => releaseAlone(claim, false, true, within),
    }),
  };
  return {
    acquireFree: (claim) => joint?.acquires.call(claim) ?? acquireAlone(claim),
    async renew(claim, token) {
      calls.checkOpen();
      const isJoint = claim.mode === 'exclusive' && token === undefined;
      return await ((isJoint ? joint?.renewals.call(claim) : undefined) ?? renewAlone(claim, token));
    },
    async release(claim, waits, waited) {
      calls.checkOpen();
      const inQueue = waits || waited;
      // The statement for many skips keys with a queue.
      const isJoint = claim.mode === 'exclusive' && !inQueue;
      return await ((isJoint ? joint?.releases.call(claim) : undefined) ?? releaseAlone(claim, inQueue, !waited));
    },
  };
}

/** Whether one statement can contain both claims. */
function fits(one: Claim, other: Claim): boolean {
  return one.ttl === other.ttl && one.floor === other.floor && one.key !== other.key && one.owner !== other.owner;
}

/** A shared error, as that of one key. */
function ofKey({ code, message, cause, sent }: LockError, key: string): LockError {
  return new LockError(code, message, { cause, sent, key });
}
