import type { Lease, Leases } from './leases.ts';

/** The places of this process in the line of one key. */
interface KeyPlaces {
  readonly owners: Set<string>;
  /** `undefined`: there was none yet, or it is gone. */
  lease: Promise<Lease> | undefined;
}

/**
 * One lease for all places of this process in the line of a key. Each repeat of one of the claims
 * keeps all of them.
 */
export class PlaceLeases {
  readonly #leases: Leases;
  readonly #seconds: number;
  readonly #keys = new Map<string, KeyPlaces>();

  /** A place lasts for `seconds` without a repeat. */
  constructor(leases: Leases, seconds: number) {
    this.#leases = leases;
    this.#seconds = seconds;
  }

  /** Whether `owner` may have a place in the line of `key`. */
  has(key: string, owner: string): boolean {
    return this.#keys.get(key)?.owners.has(owner) === true;
  }

  /** The lease for the place of `owner`. It may be older: `keep` comes first. */
  async use(key: string, owner: string, within: number): Promise<Lease> {
    let places = this.#keys.get(key);
    if (places === undefined) {
      places = { owners: new Set(), lease: undefined };
      this.#keys.set(key, places);
    }
    places.owners.add(owner);
    places.lease ??= this.#leases.take(this.#seconds, within).then(({ lease }) => lease);
    const taken = places.lease;
    try {
      return await taken;
    } catch (error) {
      this.#forget(key, taken);
      throw error;
    }
  }

  /** Restarts the lease of the places in the line of `key`. */
  async keep(key: string, within: number): Promise<void> {
    const taken = this.#keys.get(key)?.lease;
    if (taken === undefined) return;
    const { id } = await taken;
    if ((await this.#leases.keep(id, within)) === undefined) this.#forget(key, taken);
  }

  /** The lease of the places in the line of `key` is gone. */
  async lost(key: string, lease: Lease): Promise<void> {
    const taken = this.#keys.get(key)?.lease;
    if (taken !== undefined && (await taken) === lease) this.#forget(key, taken);
  }

  /**
   * `owner` has no place in the line of `key` any more. `unsure`: it may have one, as a call was
   * not answered.
   */
  leave(key: string, owner: string, unsure: boolean): void {
    const places = this.#keys.get(key);
    if (places?.owners.delete(owner) !== true) return;
    const last = places.owners.size === 0;
    if (last) this.#keys.delete(key);
    places.lease?.then(
      (lease) => {
        lease.unsure ||= unsure;
        if (last) this.#leases.give(lease);
      },
      () => {},
    );
  }

  #forget(key: string, taken: Promise<Lease>): void {
    const places = this.#keys.get(key);
    if (places?.lease === taken) places.lease = undefined;
  }
}
