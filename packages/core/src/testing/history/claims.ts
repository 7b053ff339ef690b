import type { HistoryCall, HistoryEvent } from './events.ts';

/** One call for a lock, and its outcome. Times are in ms; absent: it did not happen. */
export interface Claim {
  /** The name of the call. */
  readonly id: string;
  /** The process that called. */
  readonly process: string;
  /** What was called. */
  readonly call: HistoryCall;
  /** When it was called. */
  readonly calledAt: number;
  /** When the call ended without a lease. */
  endedAt?: number;
  /** What it rejected with. */
  failure?: {
    /** The code of the error. */
    readonly code: string;
    /** The message of the error. */
    readonly message: string;
  };
  /** When it was granted. */
  grantedAt?: number;
  /** The fencing token. */
  token?: bigint;
  /** The latest time until which the lease reported to be certainly held. */
  promisedUntil: number;
  /** The last such time before `release` was called. */
  promisedAtRelease: number;
  /** When an operator began to release it by force. */
  forcedAt?: number;
  /** When the store may have forgotten it. */
  forgottenAt?: number;
  /** How often the store was restored to older data before it. `undefined`: during that. */
  era?: number | undefined;
  /** When its signal aborted. */
  lostAt?: number;
  /** Why its signal aborted. */
  lostCode?: string;
  /** The lease was `held` although its signal had aborted. */
  heldAfterLoss?: boolean;
  /** When it reported that it was no longer held. */
  overAt?: number;
  /** When it reported to be held, after it had ended. */
  cameBackAt?: number;
  /** When `release` was called. */
  releaseAt?: number;
  /** When `release` settled. */
  releasedAt?: number;
  /** The result, or the code of the error; `over` at the end of `withLock`. */
  answer?: boolean | string;
  /** When each `renew` settled, with `ok` or the code of its error. */
  renewals: {
    /** When it settled. */
    readonly at: number;
    /** Its result. */
    readonly code: string;
  }[];
}

export type Granted = Claim & { readonly grantedAt: number; readonly token: bigint };

/** When a claim certainly held its key. */
export interface Hold {
  /** The call. */
  readonly claim: Claim;
  /** Since when, in ms. */
  readonly from: number;
  /** Until when, in ms. */
  readonly until: number;
}

/**
 * The calls of a history, in the order of their beginning. Throws for an event without a call.
 * `forgetting`: kinds of faults after which the store may not know earlier grants. `restoring`:
 * those after which it may know no earlier token.
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
    // A lease that continues elsewhere keeps its owner.
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
 * How long an answer may take, in ms. With less, an answer from before a loss of data counts as one
 * after it.
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

/** How long a close leaves a key to running work by default, in ms. */
const drain = 5_000;

/** Calls whose lease ends with the function passed to them. */
const functions: ReadonlySet<string> = new Set(['withLock', 'tryWithLock', 'once', 'elect']);

/**
 * A lease reports at each look how long it certainly lasts. It ends by a release, a loss, a forced
 * release, and a store that forgets it; a release that returns `true` proves that it lasted until
 * then. With `atLeast` the key also has a cooldown after the release.
 */
export function holdOf(claim: Claim): Hold | undefined {
  const { grantedAt, promisedUntil, releaseAt = Infinity, answer, call, calledAt } = claim;
  const { forcedAt = Infinity, forgottenAt = Infinity } = claim;
  // A close leaves the key to running work.
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
