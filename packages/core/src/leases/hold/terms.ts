import type { Claim, Grant } from '../../contract.ts';
import type { Rest } from '../release/rest.ts';

/** How a granted lease is kept. */
export interface Terms {
  readonly claim: Claim;
  readonly grant: Grant;
  /** When the winning attempt was sent. */
  readonly sentAt: number;
  /** The clock's reading at the grant. */
  readonly now: number;
  /** When the lease certainly ends, unless it is renewed. */
  readonly deadline: number;
  readonly renew: boolean;
  /**
   * The clock's reading at which the lease ends however often it is renewed. `undefined`: it has no
   * limit.
   */
  readonly holdUntil: number | undefined;
  /** `undefined`: its key does not rest. */
  readonly rest: Rest | undefined;
}
