import { certain } from '@locks/core/composite';
import type { MemberCall } from '../members/member-answers.ts';

/** What a member answered in the present round. */
export type Heard = 'granted' | 'busy' | 'failed';

/** One member's part in a claim, as far as this process knows. */
export interface Part {
  readonly member: number;
  /** Distinguishes the owner that the member sees. 0: the member was not asked yet. */
  number: number;
  /** The call in flight, at most one. */
  call: MemberCall | undefined;
  /** When the last call was sent, in ms of the clock. */
  sentAt: number;
  /** The call in flight was sent in another mode, or with another ttl: this one follows it. */
  next: 'ask' | 'renew' | undefined;
  /** The last call was for the time of a position only: the claim may never be granted. */
  brief: boolean;
  /** The round waits for the call in flight only if the other members are too few. */
  late: boolean;
  heard: Heard | undefined;
  /** The token of the member's vote. `undefined`: no vote. */
  token: bigint | undefined;
  /** When the call that granted or renewed the vote was sent, in ms of the clock. */
  since: number;
  /** When the vote ends, in ms of the clock. */
  until: number;
  /** The claim has a position in the member's queue. */
  inQueue: boolean;
  /** A call was rejected, and may have left a vote or a position. */
  uncertain: boolean;
  /** Of a busy answer. */
  retryAfter: number | undefined;
  /** Why it failed. */
  error: unknown;
}

/** A member's answer in the present round, or why there is none. */
export type Told = Pick<Part, 'heard' | 'retryAfter' | 'error'>;

/** The part of a member that has nothing of the claim. `told`: its earlier answer. */
export function emptyPart(member: number, told?: Told): Part {
  return {
    member,
    number: 0,
    call: undefined,
    sentAt: 0,
    next: undefined,
    brief: false,
    late: false,
    heard: told?.heard,
    token: undefined,
    since: 0,
    until: 0,
    inQueue: false,
    uncertain: false,
    retryAfter: told?.retryAfter,
    error: told?.error,
  };
}

/** Whether the member has, or may have, something of the claim. */
export function hasSomething(part: Part): boolean {
  return part.token !== undefined || part.inQueue || part.uncertain || part.call !== undefined;
}

/** Whether the member certainly has the vote at `now`. */
export function isVote({ token, since, until }: Part, now: number): boolean {
  return token !== undefined && since + certain(until - since) > now;
}

/** Whether the member has no vote, and was not asked for one in the present round. */
export function isUnasked(part: Part, now: number): boolean {
  return part.heard === undefined && part.call === undefined && !isVote(part, now);
}

/** Whether the member's vote has a lower token, and could get `token`. */
export function isUnraised(part: Part, token: bigint, now: number): boolean {
  if (part.token === undefined || part.token >= token) return false;
  return part.call === undefined && part.heard !== 'failed' && isVote(part, now);
}

/** Whether a call is in flight, late or not. */
export function isUnderWay(part: Part): boolean {
  return part.call !== undefined;
}

/** Whether an attempt is in flight, which may still be granted. */
export function mayGetVote({ call }: Part): boolean {
  return call !== undefined && call !== 'renew';
}

/** Whether a round waits for this part. */
export function isPending(part: Part): boolean {
  return part.call !== undefined && !part.late;
}
