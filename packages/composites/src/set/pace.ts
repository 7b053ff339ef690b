/** A presence is repeated every so many ms at most, and after a quarter of its ttl. */
export const pace = 10_000;
/** The next look after a refusal, or at a member that is missing, comes after so many ms. */
const soon = 2_000;
/**
 * A look at a member that answers again comes within so many ms. It may have lost its data, and
 * processes that start are kept away until it has its id again. With less, a member whose answers
 * come and go is looked at more often.
 */
const atReturn = 500;

/** What the next look at all members waits for. */
interface Situation {
  /** All members have the presence, and no other set is in the way. */
  readonly isWell: boolean;
  /** A member answers again. */
  readonly hurries: boolean;
  /** Of the presences, in ms. */
  readonly ttl: number;
}

/** After how many ms all members are looked at again. `random`: from 0 to 1. */
export function delayOf({ isWell, hurries, ttl }: Situation, random: number): number {
  if (hurries) return atReturn * random;
  return isWell ? Math.min(ttl / 4, pace) * (0.75 + random / 4) : soon * (0.5 + random);
}
