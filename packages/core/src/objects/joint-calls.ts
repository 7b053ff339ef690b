import type { LockState } from '../lock-state.ts';
import type { PublicLease } from '../leases/hold/public-lease.ts';
import type { LockCalls } from '../leases/lock-calls.ts';
import type { Work } from '../leases/hold/with-lock.ts';
import type { Noted } from '../leases/reenter/flow.ts';
import type { AcquireOptions } from '../options/acquire-options.ts';

/** How work runs under a lease that was taken before. */
export interface HoldOptions extends Pick<AcquireOptions, 'waitForSelf'>, Pick<Noted, 'shares' | 'noted'> {}

export interface JointCalls extends LockCalls {
  /** As `inspect` of the client. */
  inspect(key: string): Promise<LockState>;
  /**
   * One attempt for each of `keys`, all in this tick, without a position. `null`: that key is not
   * free. `undefined`: these keys must be taken one by one.
   */
  tryEach(keys: readonly string[], options: AcquireOptions): readonly Promise<PublicLease | null>[] | undefined;
  /** Runs `work` under `lease`, and releases the lease. */
  hold<T>(lease: PublicLease, options: HoldOptions, work: Work<T>): Promise<T>;
  /** The shares of `key` of the current asynchronous context. */
  ownShares(key: string): number;
  /** Whether the current asynchronous context is recorded work under the lease of `owner`. */
  worksUnder(owner: string): boolean;
}
