import type { Claim } from '../../contract.ts';

/** A grant that the backend made when the turn of a claim in line came, and told by a message. */
export interface Assignment {
  /** The fencing token, minted with the grant. */
  readonly token: bigint;
  /**
   * When the claim sent an attempt that the backend answered busy before this grant, by the clock.
   * The backend keeps it with the place in line, and repeats it in the message.
   */
  readonly sentAt: number;
  /** The ttl that the backend gave the hold, in ms. */
  readonly ttl: number;
}

/**
 * An assignment counts while its `sentAt` is not further back than this part of the ttl. An older
 * one leaves too little of the ttl, so its claim asks again, and that restarts the ttl. A larger
 * part gives leases that are much shorter than their ttl. A smaller part costs more attempts.
 */
const freshFor = 1 / 10;

/** Clocks run at different rates, by 1 % at most. The age counts in full at the slower one. */
const slowestRate = 0.99;

/**
 * How long the grant certainly lasts, in ms from `now`. It counts from what this process sent, as
 * the message may be late. `undefined`: the claim must ask the backend, which knows it as holder.
 */
export function lastsFor({ token, sentAt, ttl }: Assignment, claim: Claim, now: number): number | undefined {
  // The claim changed after that attempt.
  if (ttl !== claim.ttl || (claim.floor !== undefined && token <= claim.floor)) return undefined;
  const age = (now - sentAt) / slowestRate;
  return age >= 0 && age <= ttl * freshFor ? ttl - age : undefined;
}
