import type { Claim } from '../../contract.ts';
import type { Deferred } from '../../time/deferred.ts';
import type { Assignment } from './assignment.ts';

/** The place in line of one claim of this process. */
export interface Place {
  /** As the last attempt had it: its ttl and floor may be others than those of the first. */
  claim: Claim;
  wake: () => void;
  /**
   * When the last call was sent that shows the server that the claim still waits, by the clock.
   * `undefined`: the claim is not in line yet. The send counts, as many places are due at about the
   * same time. If the call fails, the place still lasts: for three signs of life.
   */
  shownAt: number | undefined;
  /**
   * The send of the last answered call that certainly kept the place at the server, by the clock.
   */
  keptAt: number;
  /** Until when the claim was told to wait. */
  waitUntil: number;
  /** The claim is the head of the line, and looks when a hold ends. */
  looks: boolean;
  /**
   * The call of another claim showed this one after its own last attempt, and no wake came since.
   * So the server has nothing new for it.
   */
  quiet: boolean;
  /** An attempt waits for the answer to the call that shows this claim. */
  hearing: Deferred | undefined;
  /** The last attempt was answered busy. So the claim holds nothing that it knows of. */
  waits: boolean;
  /** A later attempt has begun. */
  repeated: boolean;
  /** The latest grant that a message told. */
  assigned: Assignment | undefined;
}

/** The place of a claim that has sent nothing yet. */
export function newPlace(claim: Claim, wake: () => void): Place {
  return {
    claim,
    wake,
    shownAt: undefined,
    keptAt: -Infinity,
    waitUntil: 0,
    looks: false,
    quiet: false,
    hearing: undefined,
    waits: false,
    repeated: false,
    assigned: undefined,
  };
}

/** Those who wait for the call of another claim go on. */
export function endHearing(place: Place): void {
  place.hearing?.resolve();
  place.hearing = undefined;
}
