import type { Mode } from '../contract.ts';
import type { Lease, LeaseRecord } from '../lease.ts';
import { printAs } from '../locks/lease/printed.ts';

/** Several keys that are held together. It is lost when one of them is. */
export interface MultiLease extends Lease {
  /** In the order in which they were taken. */
  readonly keys: readonly string[];
  /** The fencing token of each key. `token` is that of the first one. */
  readonly tokens: ReadonlyMap<string, bigint>;
}

/** The leases of several keys as one. */
export class LeaseOfAll implements MultiLease {
  static {
    printAs('MultiLease', LeaseOfAll.prototype);
  }

  readonly #leases: readonly Lease[];
  readonly #first: Lease;
  #signal: AbortSignal | undefined = undefined;

  constructor(leases: readonly [Lease, ...Lease[]]) {
    this.#leases = leases;
    this.#first = leases[0];
  }

  get keys(): readonly string[] {
    return this.#leases.map(({ key }) => key);
  }

  get tokens(): ReadonlyMap<string, bigint> {
    return new Map(this.#leases.map(({ key, token }) => [key, token]));
  }

  get key(): string {
    return this.#first.key;
  }

  get owner(): string {
    return this.#first.owner;
  }

  get mode(): Mode {
    return this.#first.mode;
  }

  get token(): bigint {
    return this.#first.token;
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any(this.#leases.map(({ signal }) => signal));
    return this.#signal;
  }

  get remaining(): number {
    return Math.min(...this.#leases.map(({ remaining }) => remaining));
  }

  get held(): boolean {
    return this.#leases.every(({ held }) => held);
  }

  async renew(): Promise<void> {
    await settleAll(this.#leases.map((lease) => lease.renew()));
  }

  async downgrade(): Promise<void> {
    await settleAll(this.#leases.map((lease) => lease.downgrade()));
  }

  async release(): Promise<boolean> {
    const freed = await settleAll(this.#leases.map((lease) => lease.release()));
    return freed.every(Boolean);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release().catch(() => {});
  }

  toJSON(): LeaseRecord & { readonly keys: readonly string[] } {
    const { held, remaining, keys } = this;
    return { ...this.#first.toJSON(), held, remaining: Math.floor(remaining), keys };
  }
}

/** Waits for all calls, also where one rejects, and then rejects with the first error. */
async function settleAll<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(calls);
  return await Promise.all(calls);
}
