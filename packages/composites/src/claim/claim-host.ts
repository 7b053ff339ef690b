import type { Traits } from '@locks/core';
import type { AbortFollowers } from '@locks/core/composite';
import type { MembersHost } from '../members/member-states.ts';
import type { Member } from '../members/member.ts';

/** A claim, as far as its host must know it. */
export interface HostedClaim {
  readonly key: string;
  readonly owner: string;
  readonly waiting: boolean;
  /** Nothing is under way, and the members have nothing of it. */
  readonly isEmpty: boolean;
}

/** What all claims of a composite share. */
export interface ClaimHost extends MembersHost {
  readonly traits: Traits;
  /** Whether tokens keep their order across members. */
  readonly fencing: boolean;
  readonly signals: AbortFollowers;
  nextNumber(): number;
  /** `undefined`: `key` may be asked for now. Otherwise a promise of that. */
  ready(key: string): Promise<void> | undefined;
  /** `undefined`: `member` may be asked for a vote now. Otherwise a promise of that. */
  admit(member: Member): Promise<void> | undefined;
  /** What the tokens of an attempt that begins now must exceed. `undefined`: nothing. */
  readonly floor: () => bigint | undefined;
  /** How many claims of this process wait for the key, besides one that asks. */
  isCrowded(key: string): boolean;
  /** The claim may have been the last one that had something: it is forgotten then. */
  changed(claim: HostedClaim): void;
}
