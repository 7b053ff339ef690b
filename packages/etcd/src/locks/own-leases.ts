import type { Clock } from '@locks/core/adapter';
import type { Lease } from './leases.ts';

/** The leases of one claim of this process. */
export interface OwnLeases {
  /** Of its place in line. */
  place: Lease | undefined;
  /** Of its hold, or of attempts to get it. */
  hold: Lease | undefined;
  /** By the clock: the leases have ended then, unless they were restarted. */
  until: number;
}

/** Fewer entries than this are not worth a look. */
const fewest = 256;

/** The leases of the claims of this process. Not each claim is released, so old ones are dropped. */
export class LeasesByOwner {
  readonly #clock: Clock;
  readonly #owners = new Map<string, OwnLeases>();
  #sweepAt = fewest;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(owner: string): OwnLeases | undefined {
    return this.#owners.get(owner);
  }

  /** Those of `owner`, kept for `lasts` ms from now at least. */
  keep(owner: string, lasts: number): OwnLeases {
    const until = this.#clock.now() + lasts;
    let own = this.#owners.get(owner);
    if (own === undefined) {
      own = { place: undefined, hold: undefined, until };
      if (this.#owners.size >= this.#sweepAt) this.#sweep();
      this.#owners.set(owner, own);
    }
    own.until = Math.max(own.until, until);
    return own;
  }

  take(owner: string): OwnLeases | undefined {
    const own = this.#owners.get(owner);
    this.#owners.delete(owner);
    return own;
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [owner, { until }] of this.#owners) if (until < now) this.#owners.delete(owner);
    this.#sweepAt = Math.max(fewest, 2 * this.#owners.size);
  }
}
