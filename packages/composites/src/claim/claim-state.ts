import { emptyPart } from './part.ts';
import type { MemberCall } from '../members/member-answers.ts';
import type { Part } from './part.ts';

/**
 * `resting`: no call of core's is in progress. `returning`: the answer is known, and waits until
 * the members have taken back what the claim must not keep. `pausing`: it has the vote of its
 * queue, and waits briefly for another member, where a claim without that queue may be just
 * leaving.
 */
export type Stage = 'resting' | 'asking' | 'pausing' | 'confirming' | 'returning' | 'held' | 'renewing' | 'over';

/** The outcome of core's call. */
export type Outcome =
  | { readonly kind: 'granted'; readonly token: bigint; readonly until: number }
  | { readonly kind: 'busy'; readonly retryAfter: number | undefined }
  | { readonly kind: 'renewed'; readonly until: number }
  /** `renewed`: its hold went on with this call, and has ended since. */
  | { readonly kind: 'lost'; readonly renewed: boolean }
  | { readonly kind: 'unavailable' }
  /** A member refused the claim as such: the others would, too. */
  | { readonly kind: 'refused'; readonly error: unknown };

/** What a repeat of a held claim changes. */
export type Change = 'mode' | 'ttl' | undefined;

/** What the machine needs of the world around it. */
export interface MachineWorld {
  now(): number;
  random(): number;
  isSuspect(member: number): boolean;
  /** A suspect member takes one call at a time. */
  takesCall(member: number): boolean;
  /** A number that no other claim or part has. */
  nextNumber(): number;
  /** The floor of an attempt's tokens. Members whose clocks are below it return the same token. */
  floor(): bigint | undefined;
  /** `token`: the new one for a renewal, or the floor for an attempt. */
  send(part: Readonly<Part>, call: MemberCall, token: bigint | undefined): void;
  /**
   * Returns `part`. With `awaited` the world calls `returned` once the member answered, or after
   * the member timeout.
   */
  giveBack(part: Readonly<Part>, awaited: boolean): void;
  settle(outcome: Outcome): void;
  /** Calls `promiseOver` at `until`, in ms of the clock. */
  keep(until: number): void;
  /** Calls `looked` if another claim has enough votes that it may hold the key. */
  look(): void;
  /** Calls `resumed` after `delay` ms. */
  pause(delay: number): void;
  /** A held claim has too few votes left, and no call of core's is in progress to report it. */
  lost(): void;
}

/** The constants of a claim. */
export interface MachineOptions {
  readonly members: number;
  readonly need: number;
  readonly fencing: boolean;
  readonly ttl: number;
  /** How long a vote lasts that may never be part of a hold, in ms. */
  readonly place: number;
  /** The members notify when another attempt is worthwhile. */
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
  /** The last answer was busy, so the claim keeps its position and the votes below it. */
  waiting: boolean;
  /** How often this attempt moved to another queue. */
  moves: number;
  /** This attempt has paused already. */
  paused: boolean;
  token: bigint;
  /** Until when core was promised the key, in ms of the clock. */
  promisedUntil: number;
  /** It has too few votes. The others stay until the promised time ends. */
  lost: boolean;
  /**
   * It was found in the members, and no renewal has confirmed yet that they hold it. Until then no
   * member is asked for a vote: that would revive a claim that another process is releasing.
   */
  found: boolean;
  /** The floor of this attempt's tokens, the same for all members. */
  floor: bigint | undefined;
  /** When it last checked whether another claim holds the key, in ms of the clock. */
  lookedAt: number | undefined;
  /** When a holder next requests missing votes, in ms of the clock. */
  healAt: number | undefined;
  /** Since when it keeps votes while it waits. */
  keptSince: number | undefined;
  /** Late members are awaited if the others are too few. */
  patient: boolean;
  /** How many members have yet to take something back. */
  returning: number;
  outcome: Outcome | undefined;
}

/** The state of a claim unknown to the members. */
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

/** Whether core was promised the key. */
export function isHeld({ stage }: ClaimState): boolean {
  return stage === 'held' || stage === 'renewing';
}
