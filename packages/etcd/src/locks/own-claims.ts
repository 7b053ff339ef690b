import type { Clock } from '@locks/core/adapter';
import type { Lease } from './leases.ts';

/** One claim of this process. */
export interface OwnClaim {
  /** The lease of its hold, or of its attempts. */
  hold: Lease | undefined;
  /** The revision of its position in the queue, as last seen. */
  created: bigint | undefined;
  /** By the clock: the hold and the position end then, unless restarted. */
  until: number;
}

/** With fewer entries no clean-up is worthwhile. */
const fewest = 256;

/** The claims of this process. Some are never released, so old ones are dropped. */
export class OwnClaims {
  readonly #clock: Clock;
  readonly #owners = new Map<string, OwnClaim>();
  #sweepAt = fewest;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(owner: string): OwnClaim | undefined {
    return this.#owners.get(owner);
  }

  /** The claim of `owner`, kept for at least `lasts` ms from now. */
  keep(owner: string, lasts: number): OwnClaim {
    const until = this.#clock.now() + lasts;
    let own = this.#owners.get(owner);
    if (own === undefined) {
      own = { hold: undefined, created: undefined, until };
      if (this.#owners.size >= this.#sweepAt) this.#sweep();
      this.#owners.set(owner, own);
    }
    own.until = Math.max(own.until, until);
    return own;
  }

  take(owner: string): OwnClaim | undefined {
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
