import type { MemberAnswer, MemberCall } from '../../../src/members/member-answers.ts';
import type { ClaimState } from '../../../src/claim/claim-state.ts';

/** A call of a claim to a member: a request, and then its answer, on the way. */
export interface Call {
  readonly member: number;
  /** Makes the owner that the member sees. */
  readonly number: number;
  readonly kind: MemberCall;
  readonly token: bigint | undefined;
  /** For the time of a place, not the ttl. */
  readonly brief: boolean;
  /** `undefined`: the member has not met it. */
  readonly answer: MemberAnswer | undefined;
  /** The member timeout is over. */
  readonly silent: boolean;
  /** Its answer would reach no caller: a copy, or a request whose call was rejected. */
  readonly orphan: boolean;
}

/** A release on the way to a member. */
export interface Return {
  readonly member: number;
  readonly number: number;
  /** `behind`: it follows the call in flight. `answered`: the claim waits for the answer. */
  readonly stage: 'behind' | 'sent' | 'answered';
  readonly awaited: boolean;
}

/** A wake on the way from a member. */
export interface Wake {
  readonly member: number;
  readonly number: number;
}

export interface Lease {
  readonly token: bigint;
  readonly until: number;
}

/**
 * What core does about a claim. `asking`: its call is under way. `waiting`: it was told no. `lost`:
 * it was held, and has too few votes. `forsaken`: core gave it up then. `crashed`: its process is
 * gone, and what it has lapses.
 */
type Stage = 'new' | 'asking' | 'waiting' | 'held' | 'lost' | 'forsaken' | 'done' | 'crashed';

/** A process that wants the key, with its claim, and the messages on their way from and to it. */
export interface Contender {
  readonly stage: Stage;
  readonly machine: ClaimState;
  /** A member told core that another attempt is worth making. */
  readonly woken: boolean;
  /** The claim told core when to ask again, as no member would wake it. */
  readonly polls: boolean;
  /** It is about to see whether another claim holds the key. */
  readonly looks: boolean;
  readonly lease: Lease | undefined;
  readonly calls: readonly Call[];
  readonly returns: readonly Return[];
  readonly wakes: readonly Wake[];
  /** Members that it found silent, as bits. */
  readonly suspects: number;
  /** How many leases it may still take, how many renewals send, and how often ask unwoken. */
  readonly leases: number;
  readonly renewals: number;
  readonly repeats: number;
}

/** An owner, as a member sees it. */
export interface Owner {
  readonly contender: number;
  readonly number: number;
}

export interface Hold extends Owner {
  readonly token: bigint;
  readonly expires: number;
}

/** The store of a member, for one key. */
export interface Store {
  readonly hold: Hold | undefined;
  readonly queue: readonly Owner[];
  /** The highest token. */
  readonly counter: bigint;
  /** It came back empty, and grants nothing before. */
  readonly closedUntil: number;
}

/** How often things may still go wrong, one number for each kind of fault. */
export interface Faults {
  /** A contender's process ends. */
  readonly crashes: number;
  /** A member is silent for longer than the member timeout, in one call. */
  readonly silences: number;
  /** A process changes its mind about which member is suspect. */
  readonly flips: number;
  /** A call is rejected. Its request may arrive still. */
  readonly rejections: number;
  /** A request arrives twice. */
  readonly copies: number;
  /** A store comes back empty. */
  readonly amnesias: number;
  /** A waiting contender gives up. */
  readonly departures: number;
  /** A claim sees, rightly or not, that another one holds the key. */
  readonly looks: number;
  readonly ticks: number;
}

/** One state of everything. */
export interface World {
  readonly now: number;
  readonly contenders: readonly Contender[];
  readonly stores: readonly Store[];
  readonly faults: Faults;
  /** The highest token of a lease. */
  readonly highest: bigint;
  /** The highest token of any member, where tokens are `newest`. */
  readonly minted: bigint;
  readonly problem: string | undefined;
}

export const noFaults: Faults = {
  crashes: 0,
  silences: 0,
  flips: 0,
  rejections: 0,
  copies: 0,
  amnesias: 0,
  departures: 0,
  looks: 0,
  ticks: 0,
};
