import type { Claim, LockProvider, Renewal } from '../../contract.ts';
import type { LockError } from '../../errors/lock-error.ts';
import type { Settings } from '../../options/acquire-options.ts';
import type { LossCode } from '../diagnostics/messages.ts';
import type { Rest } from '../release/rest.ts';
import type { ReleaseCall } from './release-call.ts';

/** How a lease is kept, from its grant to its end. */
export interface Keeping {
  readonly renew: boolean;
  /** When it ends even if renewed, by the clock. `undefined`: no limit. */
  readonly holdUntil: number | undefined;
  /** `undefined`: its key has no cooldown. */
  readonly rest: Rest | undefined;
}

/** How a lease ended. */
export interface LeaseEnd {
  readonly ending: 'released' | 'transferred' | 'lost' | 'closed';
  readonly reason: LockError | undefined;
  releasing: ReleaseCall | undefined;
}

/** The renewals of a lease, which never overlap. Most leases end before their first. */
export interface Renewing {
  /** The unanswered one. Resolves to why the lease is not renewed. */
  inFlight: Promise<LockError | undefined> | undefined;
  /** How many in succession are unconfirmed, and the last error. */
  failures: number;
  failure: LockError | undefined;
  /** The provider was asked to share the hold, and has not confirmed it. */
  unshared: boolean;
}

/** A lease as data: its hold in the store, until when that is certain, and what comes next. */
export interface LeaseState {
  readonly token: bigint;
  readonly since: number;
  readonly keeping: Keeping;
  /** With the ttl of the lease. */
  claim: Claim;
  /** When it certainly ends, unless it is renewed. */
  deadline: number;
  /** Rounded up: whole numbers take less memory. A release is then retried a ms longer. */
  lastSend: number;
  /** When it was to be renewed, or else its deadline. */
  dueAt: number;
  renewing: Renewing | undefined;
  /** `undefined`: it is held, unless its deadline has passed unnoticed. */
  end: LeaseEnd | undefined;
}

/** The part of a lease for `withLock`, not for users. */
export interface UnderWork {
  /** The owners, if several leases are one. @default the owner of the lease */
  readonly owners?: readonly string[];
  /** Work runs under it, until its release: `close` of the client waits for that. */
  beginWork(): void;
  endWork(): EndOfWork;
}

/** The result of the end of work. */
export interface EndOfWork {
  /** Why the lease was lost during the work. `undefined`: it was held to the end. */
  readonly lost: LockError | undefined;
  /** As `release` of the lease resolves or rejects. */
  readonly freed: Promise<boolean>;
}

/** One object for most leases. */
const usual: Keeping = { renew: true, holdUntil: undefined, rest: undefined };

/** How a lease granted at `now` is kept. */
export function keepingOf(
  { ttl, renew, maxHold, lockDelay, atLeast }: Pick<Settings, 'ttl' | 'renew' | 'maxHold' | 'lockDelay' | 'atLeast'>,
  now: number,
): Keeping {
  const rests = lockDelay > 0 || atLeast > 0;
  if (renew && maxHold === Infinity && !rests) return usual;
  const holdUntil = maxHold === Infinity ? undefined : Math.floor(now + maxHold);
  return { renew, holdUntil, rest: rests ? { ttl, lockDelay, atLeast, since: now } : undefined };
}

/**
 * The certain part of a validity: less 1 %, for clocks that differ in rate, and 2 ms, for their
 * resolution. That is the margin of Redlock's description. Only core subtracts it.
 */
export function certain(validity: number): number {
  return validity - validity * 0.01 - 2;
}

/**
 * When the lease certainly ends that the call of `sentAt` granted or renewed: its validity counts
 * from the send. Whole, as a fraction takes 16 bytes more per lease.
 */
export function deadlineOf(
  { ttl }: Claim,
  { rest, holdUntil = Infinity }: Keeping,
  sentAt: number,
  { validity, hold = validity }: Renewal,
): number {
  const valid =
    rest === undefined
      ? (validity ?? ttl)
      : Math.min(rest.ttl, validity ?? Infinity, (hold ?? Infinity) - rest.lockDelay);
  return Math.floor(Math.min(sentAt + certain(valid), holdUntil));
}

/** When to renew a lease that the call of `sentAt` granted or renewed. */
export function renewalAt({ deadline }: LeaseState, sentAt: number): number {
  return sentAt + (deadline - sentAt) / 3;
}

const longestStep = 2 ** 30;

/**
 * The next thing to do: a renewal at about `renewAt`, or else the loss at the deadline. A renewal
 * is early by at most 1/16 of the time until then, at a multiple of a power of two. So renewals due
 * at about the same time share a bucket of the timer wheel and are sent together.
 */
export function dueAt({ keeping, deadline }: LeaseState, renewAt: number, now: number): number {
  // Close to maxHold another renewal could not move the deadline.
  const useful = keeping.renew && renewAt < Infinity && deadline < (keeping.holdUntil ?? Infinity);
  if (!useful) return deadline;
  const step = 1 << (31 - Math.clz32(Math.min(Math.max(1, (renewAt - now) / 16), longestStep)));
  return Math.min(Math.floor(renewAt / step) * step, deadline);
}

/** The most delay of a timer in a running process, in ms. */
const latestTimer = 250;

/** Why a lease was lost whose deadline had passed at `now`. */
export function whyLost(
  { deadline, dueAt: due, keeping, lastSend, renewing }: LeaseState,
  provider: LockProvider,
  now: number,
): { readonly code: LossCode; readonly why: string; readonly cause?: unknown } {
  if (now >= (keeping.holdUntil ?? Infinity)) return { code: 'max-hold', why: 'its maxHold has passed' };
  const { name } = provider;
  const lapsed = 'it was not renewed before its validity ended';
  const { failures = 0, failure, inFlight } = renewing ?? {};
  const asked = failures > 0 || inFlight !== undefined;
  // A session keeps its leases for a while without an answer: then no renewal has failed.
  const cause = failure ?? (renewing === undefined ? undefined : provider.outage?.());
  const silent = asked ? now - lastSend : 0;
  // For how long no code of this process has run.
  const stood = now - (asked ? deadline : due);
  if (stood > latestTimer) {
    const why = `${lapsed}, as this process did not run for ${Math.round(stood)} ms`;
    return { code: 'suspended', why, cause };
  }
  if (failures > 0) {
    const renewals = failures === 1 ? 'a renewal' : `${failures} renewals in a row`;
    return { code: 'unanswered', why: `${lapsed}: ${name} did not confirm ${renewals}; see the cause`, cause };
  }
  if (silent > 0) {
    const where = cause === undefined ? '' : '; see the cause';
    const why = `${lapsed}: ${name} has not answered for ${Math.round(silent)} ms${where}`;
    return { code: 'unanswered', why, cause };
  }
  if (cause !== undefined) {
    return { code: 'unanswered', why: `${lapsed}: ${name} cannot be reached; see the cause`, cause };
  }
  return { code: 'not-renewed', why: lapsed };
}
