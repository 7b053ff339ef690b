import type { Claim } from '../contract.ts';
import type { KeyRecord, Place, Terms } from './record.ts';

/** The settings of a store. */
export interface KeyRules {
  /** How long a position in the queue lasts without a refresh, in ms. */
  readonly waiterTtl: number;
  /** The lowest token to grant at `now`: usually a clock in µs. */
  readonly leastToken: (now: number) => number;
  /**
   * Whether this head of the queue is granted the key immediately. @default the head tries again
   */
  readonly assigns?: ((head: Place<unknown>) => boolean) | undefined;
}

/** Why a claim is permanently refused: `LOCK_INVALID`. */
export interface Refusal {
  readonly granted: undefined;
  /** Shared to exclusive, or no token left. */
  readonly refused: 'upgrade' | 'tokens';
}

/** Whether the holders leave room for one more of this kind. */
export function admits({ holds }: KeyRecord, { mode, permits }: Pick<Claim | Terms, 'mode' | 'permits'>): boolean {
  const any = holds[0];
  if (any === undefined) return true;
  return mode === 'shared' && any.mode === 'shared' && holds.length < (permits ?? Infinity);
}

/**
 * The next token: above all earlier ones and the floor, and not behind the clock. `undefined` at
 * 2^53, the limit of exact numbers.
 */
export function nextToken(
  { token }: KeyRecord,
  floor: bigint | undefined,
  now: number,
  { leastToken }: Pick<KeyRules, 'leastToken'>,
): number | undefined {
  const above = floor === undefined ? 0 : Number(floor) + 1;
  const next = Math.max(token + 1, above, leastToken(now));
  return next > token ? next : undefined;
}
