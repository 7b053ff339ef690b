import type { HistoryCall, HistoryEvent } from './events.ts';

/** One call for a lock, and what became of it. Times are in ms; absent: it did not happen. */
export interface Claim {
  /** The name of the call. */
  readonly id: string;
  /** Who called. */
  readonly process: string;
  /** What was called. */
  readonly call: HistoryCall;
  /** When. */
  readonly calledAt: number;
  /** When the call was answered with something other than a lease. */
  endedAt?: number;
  /** What it rejected with. */
  failure?: {
    /** The code of the error. */
    readonly code: string;
    /** Its message. */
    readonly message: string;
  };
  /** When it was granted. */
  grantedAt?: number;
  /** Its fencing token. */
  token?: bigint;
  /** Until when the lease said that it is certainly held, at the latest of its words. */
  promisedUntil: number;
  /** What it promised last, before `release` was called. */
  promisedAtRelease: number;
  /** When an operator began to release it by force. */
  forcedAt?: number;
  /** When the store may have forgotten it. */
  forgottenAt?: number;
  /** How often the store went back to older data before it. `undefined`: in the middle of that. */
  era?: number | undefined;
  /** When its signal aborted. */
  lostAt?: number;
  /** Why it did. */
  lostCode?: string;
  /** The lease called itself held although its signal had aborted. */
  heldAfterLoss?: boolean;
  /** When it said that it is not held any more. */
  overAt?: number;
  /** When it said that it is held, after it was over. */
  cameBackAt?: number;
  /** When `release` was called. */
  releaseAt?: number;
  /** When it was answered. */
  releasedAt?: number;
  /** What it answered, or the code of its error; `over` at the end of `withLock`. */
  answer?: boolean | string;
  /** When each `renew` settled, with `ok` or the code of its error. */
  renewals: {
    /** When. */
    readonly at: number;
    /** How. */
    readonly code: string;
  }[];
}

/** A claim that was granted. */
export type Granted = Claim & { readonly grantedAt: number; readonly token: bigint };

/** From when until when a claim certainly held its key. */
export interface Hold {
  /** Which call. */
  readonly claim: Claim;
  /** Since when, in ms. */
  readonly from: number;
  /** Until when, in ms. */
  readonly until: number;
}

/**
 * The calls of a history, in the order of their beginning. Throws where one was never called.
 * `forgetting`: kinds of faults after which the store may not know what was granted before.
 * `restoring`: those after which it may know no token that was given before.
 */
export function readClaims(
  events: readonly HistoryEvent[],
  forgetting: readonly string[] = [],
  restoring: readonly string[] = [],
): Claim[] {
  const byId = new Map<string, Claim>();
  const owned = new Map<string, Claim[]>();
  for (const event of events) {
    if (event.type === 'call') {
      const { id, process, call, at } = event;
      if (byId.has(id)) throw new Error(`${id}: the history has two of its "call".`);
      const none = { era: 0, promisedUntil: 0, promisedAtRelease: 0, renewals: [] };
      byId.set(id, { id, process, call, calledAt: at, ...none });
    } else if ('id' in event && !('key' in event)) {
      const claim = byId.get(event.id);
      if (claim === undefined) throw new Error(`${event.id}: the history has a "${event.type}" before its "call".`);
      follow(claim, event);
      if (event.type === 'granted' && event.owner !== undefined) {
        owned.set(event.owner, [...(owned.get(event.owner) ?? []), claim]);
      }
    }
  }
  for (const event of events) {
    if (event.type !== 'forced') continue;
    // A lease that goes on elsewhere keeps its owner.
    for (const claim of owned.get(event.owner) ?? []) {
      if (claim.call.key === event.key) claim.forcedAt = Math.min(claim.forcedAt ?? Infinity, event.at);
    }
  }
  const claims = [...byId.values()].toSorted((one, other) => one.calledAt - other.calledAt);
  for (const event of events) {
    if (event.type !== 'fault') continue;
    if (restoring.includes(event.kind)) for (const claim of claims) passEra(claim, event);
    if (!forgetting.includes(event.kind)) continue;
    for (const claim of claims) {
      if ((claim.grantedAt ?? Infinity) <= event.at + onTheWay)
        claim.forgottenAt = Math.min(claim.forgottenAt ?? Infinity, event.from);
    }
  }
  return claims;
}

/**
 * In ms: how long an answer may be under way. With less, an answer of before a loss of data counts
 * as one of after it.
 */
const onTheWay = 1_000;

function passEra(claim: Claim, { from, at }: { readonly from: number; readonly at: number }): void {
  const { calledAt, grantedAt = calledAt, era } = claim;
  if (grantedAt < from || era === undefined) return;
  claim.era = calledAt > at ? era + 1 : undefined;
}

export function isGranted(claim: Claim): claim is Granted {
  return claim.grantedAt !== undefined && claim.token !== undefined;
}

/** In ms: for so long a close leaves a key to work that runs, by default. */
const drain = 5_000;

/** Calls that end their lease when the function ends that they were given. */
const functions: ReadonlySet<string> = new Set(['withLock', 'tryWithLock', 'once', 'elect']);

/**
 * A lease promises with each look how long it certainly lasts. A release ends it, and so do a loss,
 * a release by force, and a store that forgets it; a release that answers `true` proves that it
 * lasted until then. With `atLeast` the key rests also after the release.
 */
export function holdOf(claim: Claim): Hold | undefined {
  const { grantedAt, promisedUntil, releaseAt = Infinity, answer, call, calledAt } = claim;
  const { forcedAt = Infinity, forgottenAt = Infinity } = claim;
  // A close leaves the key to work that runs.
  const isLeft = claim.lostCode === 'LOCK_CLOSED' && functions.has(call.how);
  const lostAt = (claim.lostAt ?? Infinity) + (isLeft ? drain : 0);
  if (grantedAt === undefined) return undefined;
  const proven = answer === true && claim.lostAt === undefined;
  const held = proven ? releaseAt : Math.min(promisedUntil, lostAt, releaseAt);
  const until = Math.min(forcedAt, forgottenAt, Math.max(held, calledAt + (call.atLeast ?? 0)));
  return until > grantedAt ? { claim, from: grantedAt, until } : undefined;
}

type OfClaim = Exclude<
  Extract<HistoryEvent, { readonly id: string }>,
  { readonly type: 'call' } | { readonly key: string }
>;

function follow(claim: Claim, event: OfClaim): void {
  const { at } = event;
  const promise = (remaining: number): void => {
    if (remaining > 0) claim.promisedUntil = Math.max(claim.promisedUntil, at + remaining);
  };
  switch (event.type) {
    case 'granted':
      claim.grantedAt = at;
      claim.token = BigInt(event.token);
      promise(event.remaining);
      break;
    case 'held':
      if (event.remaining === 0) claim.overAt ??= at;
      else if (claim.overAt !== undefined) claim.cameBackAt ??= at;
      promise(event.remaining);
      break;
    case 'lost':
      claim.lostAt = at;
      claim.lostCode = event.code;
      claim.heldAfterLoss = event.held;
      break;
    case 'renewed':
      claim.renewals.push({ at, code: event.code });
      break;
    case 'release':
      claim.releaseAt = at;
      claim.promisedAtRelease = event.remaining > 0 ? at + event.remaining : 0;
      promise(event.remaining);
      break;
    case 'released':
      claim.releasedAt = at;
      claim.answer = event.answer;
      break;
    case 'busy':
      claim.endedAt = at;
      break;
    case 'failed':
      claim.endedAt = at;
      claim.failure = { code: event.code, message: event.message };
      break;
    default:
      event satisfies never;
  }
}
