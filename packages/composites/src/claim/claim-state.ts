import { emptyPart } from './part.ts';
import type { MemberCall } from '../members/member-answers.ts';
import type { Part } from './part.ts';

/**
 * `resting`: no call of core's is under way. `returning`: the answer is known, and waits until the
 * members have taken back what the claim must not keep. `pausing`: it has the vote of its queue,
 * and waits a moment for another member, where a claim that will not get the queue may be just
 * leaving.
 */
export type Stage = 'resting' | 'asking' | 'pausing' | 'confirming' | 'returning' | 'held' | 'renewing' | 'over';

/** The outcome of a call of core's. */
export type Outcome =
  | { readonly kind: 'granted'; readonly token: bigint; readonly until: number }
  | { readonly kind: 'busy'; readonly retryAfter: number | undefined }
  | { readonly kind: 'renewed'; readonly until: number }
  /** `renewed`: its hold went on with this call, and has ended since. */
  | { readonly kind: 'lost'; readonly renewed: boolean }
  | { readonly kind: 'unavailable' }
  /** A member refused the claim as such: the others would, too. */
  | { readonly kind: 'refused'; readonly error: unknown };

/** What a repeat of a held claim has that differs from before. */
export type Change = 'mode' | 'ttl' | undefined;

/** What the machine asks of the world around it. */
export interface MachineWorld {
  now(): number;
  random(): number;
  isSuspect(member: number): boolean;
  /** A suspect member takes one call at a time. */
  takesCall(member: number): boolean;
  /** A number that no other claim and no other part of this one has. */
  nextNumber(): number;
  /**
   * What the tokens of an attempt must exceed. Members whose clocks it exceeds give the same one.
   */
  floor(): bigint | undefined;
  /** `token`: of a renewal. Of an attempt: what the token must exceed. */
  send(part: Readonly<Part>, call: MemberCall, token: bigint | undefined): void;
  /**
   * Gives `part` back. With `awaited` the world calls `returned` once the member answered, or after
   * the member timeout.
   */
  giveBack(part: Readonly<Part>, awaited: boolean): void;
  settle(outcome: Outcome): void;
  /** Calls `promiseOver` at `until`, in ms of the clock. */
  keep(until: number): void;
  /** Calls `looked` if another claim has so many votes that it may hold the key. */
  look(): void;
  /** Calls `resumed` after `delay` ms. */
  pause(delay: number): void;
  /** Too few votes are left of a held claim, and no call of core's is there to say so. */
  lost(): void;
}

/** What does not change in the life of a claim. */
export interface MachineOptions {
  readonly members: number;
  readonly need: number;
  readonly fencing: boolean;
  readonly ttl: number;
  /** How long a vote lasts that may never be part of a hold, in ms. */
  readonly place: number;
  /** The members tell when another attempt is worth making. */
  readonly wake: boolean;
}

/** The state, as plain data: a model check copies it. */
export interface ClaimState {
  stage: Stage;
  readonly parts: Part[];
  queue: number;
  askedAll: boolean;
  /** Core wants to be woken. */
  waits: boolean;
  /** Core was told busy, so the claim keeps its place and the votes below it. */
  waiting: boolean;
  /** How often this attempt moved to another queue. */
  moves: number;
  /** This attempt has paused already. */
  paused: boolean;
  token: bigint;
  /** Until when core was told last that it holds the key, in ms of the clock. */
  promisedUntil: number;
  /** It has too few votes since. The others stay until what core was told is over. */
  lost: boolean;
  /**
   * It was found in the members, and no renewal has shown yet that they hold it. Until then no
   * member is asked for a vote: that would revive what another process is releasing.
   */
  found: boolean;
  /** What the tokens of this attempt must exceed, the same for all members. */
  floor: bigint | undefined;
  /** When it asked last whether another claim holds the key, in ms of the clock. */
  lookedAt: number | undefined;
  /** When a holder asks again for votes that it lacks, in ms of the clock. */
  healAt: number | undefined;
  /** When it began to keep votes while it waits. */
  keptSince: number | undefined;
  /** Late members are waited for where the others are too few. */
  patient: boolean;
  /** How many members have still to take something back. */
  returning: number;
  outcome: Outcome | undefined;
}

/** The state of a claim that the members were told nothing of. */
export function initialState(members: number): ClaimState {
  return {
    stage: 'resting',
    parts: Array.from({ length: members }, (_, member) => emptyPart(member)),
    queue: 0,
    askedAll: false,
    waits: false,
    waiting: false,
    moves: 0,
    paused: false,
    token: 0n,
    promisedUntil: 0,
    lost: false,
    found: false,
    floor: undefined,
    lookedAt: undefined,
    healAt: undefined,
    keptSince: undefined,
    patient: true,
    returning: 0,
    outcome: undefined,
  };
}

/** Whether core was told that it holds the key. */
export function isHeld({ stage }: ClaimState): boolean {
  return stage === 'held' || stage === 'renewing';
}
