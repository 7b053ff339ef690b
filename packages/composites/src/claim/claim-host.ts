import type { Traits } from '@locks/core';
import type { AbortFollowers } from '@locks/core/composite';
import type { MembersHost } from '../members/member-states.ts';
import type { Member } from '../members/member.ts';

/** A claim, as seen by its host. */
export interface HostedClaim {
  readonly key: string;
  readonly owner: string;
  readonly waiting: boolean;
  /** No call is in flight, and the members have nothing of it. */
  readonly isEmpty: boolean;
}

/** What all claims of a composite share. */
export interface ClaimHost extends MembersHost {
  readonly traits: Traits;
  /** Whether tokens keep their order across members. */
  readonly fencing: boolean;
  readonly signals: AbortFollowers;
  nextNumber(): number;
  /** `undefined`: `key` may be requested now. Otherwise resolves when it may. */
  ready(key: string): Promise<void> | undefined;
  /** `undefined`: `member` may be asked for a vote now. Otherwise resolves when it may. */
  admit(member: Member): Promise<void> | undefined;
  /** The floor of tokens for an attempt that begins now. `undefined`: none. */
  readonly floor: () => bigint | undefined;
  /** Whether other claims of this process wait for the key. */
  isCrowded(key: string): boolean;
  /** The claim may have nothing left: it is dropped then. */
  changed(claim: HostedClaim): void;
}
