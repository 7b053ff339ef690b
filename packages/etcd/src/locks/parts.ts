import type { Clock, Deadline } from '@locks/core/adapter';
import type { Members } from '../connection/members.ts';
import type { HoldReads } from './hold-reads.ts';
import type { KeyReads } from './key-reads.ts';
import type { Keys } from './keys.ts';
import type { Leases } from './leases.ts';
import type { OwnClaims } from './own-claims.ts';
import type { PlaceLeases } from './places.ts';
import type { TokenBase } from './token-base.ts';
import type { Watches } from './watches.ts';

/** What the calls of one provider share. */
export interface Parts {
  readonly members: Members;
  readonly keys: Keys;
  readonly leases: Leases;
  readonly owners: OwnClaims;
  readonly base: TokenBase;
  readonly places: PlaceLeases;
  readonly watches: Watches;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** In ms. */
  readonly waiterTtl: number;
  readonly reads: KeyReads;
  readonly holdReads: HoldReads;
}
