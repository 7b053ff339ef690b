import { settledWithin } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Members } from '../connection/members.ts';
import { leaseGrant, leaseRevoke } from '../wire/calls.ts';

/** A lease of etcd, used by one claim at a time. */
export interface Lease {
  readonly id: string;
  /** The requested time to live. */
  readonly seconds: number;
  /** How long it lasts without a renewal, in ms: etcd may grant more than requested. */
  readonly lasts: number;
  /** A call that uses it was not answered, and may still take effect. */
  unsure: boolean;
}

/** A lease for the next claim. */
export interface TakenLease {
  readonly lease: Lease;
  /** As in `Kept`. `undefined`: the lease is new. */
  readonly term: string | undefined;
}

interface Unused {
  readonly lease: Lease;
  readonly until: number;
  /** Those made so far. After another one, an earlier hold may be back under the lease. */
  readonly connections: number;
}

/** A lease that was restarted. */
export interface Kept {
  /** In ms. */
  readonly lasts: number;
  /** The raft term of the member before it restarted the lease. */
  readonly term: string;
}

/**
 * How many unused leases are kept for the next claims, as creating one costs etcd a disk write.
 * More leave more leases to expire after a burst.
 */
const longestList = 256;

/**
 * How long closing waits for the end of leases, in ms. With less, a busy etcd keeps them until they
 * expire. With more, a silent one delays the close.
 */
const closePatience = 1_000;

/** The leases of this process. */
export class Leases {
  readonly #members: Members;
  readonly #runtime: Runtime;
  /** Unused ones, by requested seconds. The clock says when each has surely ended. */
  readonly #ending = new Set<Promise<void>>();
  readonly #unused = new Map<number, Unused[]>();

  constructor(members: Members, runtime: Runtime) {
    this.#members = members;
    this.#runtime = runtime;
  }

  /** A lease of `seconds`, new or restarted. */
  async take(seconds: number, within: number): Promise<TakenLease> {
    for (;;) {
      const unused = this.#unused.get(seconds)?.pop();
      if (unused === undefined) break;
      const isUsable = (): boolean => unused.connections === this.#members.connections;
      if (unused.until <= this.#runtime.clock.now() || !isUsable()) continue;
      const kept = await this.keep(unused.lease.id, within);
      if (kept !== undefined && isUsable()) return { lease: unused.lease, term: kept.term };
    }
    const { ID, TTL } = await this.#members.call(leaseGrant, { TTL: seconds }, 'a new lease', {
      within,
      repeats: true,
    });
    return { lease: { id: ID, seconds, lasts: Number(TTL) * 1_000, unsure: false }, term: undefined };
  }

  /** Restarts a lease. `undefined`: it is gone. `patience`: for a silent connection, in ms. */
  async keep(id: string, within: number, patience?: number): Promise<Kept | undefined> {
    const answer = await this.#members.renew({ ID: id }, { within, patience });
    const lasts = Number(answer.TTL) * 1_000;
    return lasts > 0 ? { lasts, term: answer.header.raftTerm } : undefined;
  }

  /** Returns `lease` to the unused ones. */
  give(lease: Lease): void {
    if (lease.unsure) {
      this.end(lease.id);
      return;
    }
    const list = this.#unused.get(lease.seconds) ?? [];
    this.#unused.set(lease.seconds, list);
    if (list.length >= longestList) this.end(lease.id);
    else {
      const { connections } = this.#members;
      list.push({ lease, until: this.#runtime.clock.now() + lease.lasts, connections });
    }
  }

  /** Ends a lease in the background. If that fails, it expires. Later requests with it fail. */
  end(id: string): void {
    const call = this.#members.call(leaseRevoke, { ID: id }, 'the end of a lease', { repeats: true });
    const ended: Promise<void> = call.then(
      () => void this.#ending.delete(ended),
      () => void this.#ending.delete(ended),
    );
    this.#ending.add(ended);
  }

  /** Ends the unused leases. Resolves when etcd has answered, after a second at most. */
  async close(): Promise<void> {
    for (const list of this.#unused.values()) for (const { lease } of list.splice(0)) this.end(lease.id);
    if (this.#ending.size > 0) await settledWithin(this.#runtime, closePatience, Promise.all(this.#ending));
  }
}

/** The time to live for `ms`, in seconds. */
export function secondsFor(ms: number): number {
  return Math.ceil(ms / 1_000);
}
