import { permitsRefused, tokensEnded, upgradeRefused } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { Attempt, Line, Released, Renewed, Turn } from '../../dialect/stores/lock-store.ts';
import type { KeyRecord } from './record.ts';

/** What the operations on a key go by. */
export interface Rules {
  readonly fair: boolean;
  /** How long a place in line lasts without a sign of life, in ms. */
  readonly waiterTtl: number;
  /** The least token: the wall clock in µs as it ran on since this process began. */
  leastToken(floor: bigint | undefined): number;
  /** Told when a place in line was taken. */
  placeTaken(): void;
}

/**
 * An attempt to hold the key; with `line`, a place in line is taken or kept.
 * @throws `LOCK_INVALID`
 */
export function attempt(record: KeyRecord, claim: Claim, line: Line | undefined, rules: Rules): Attempt {
  const { owner } = claim;
  const permits = permitsOf(claim);
  const deadline = record.now + rules.waiterTtl * 1_000;
  if (line !== undefined) record.line.keepOthers(line.others, record.now, deadline);
  checkPermits(record, claim, permits);
  const token = repeat(record, claim, permits) ?? admit(record, claim, permits, rules);
  let forfeit: number | undefined;
  if (token === undefined && line !== undefined) {
    const taken = record.line.keepPlace({ owner, process: line.process }, permits, record.now, deadline);
    if (taken) rules.placeTaken();
    else forfeit = hastenAbsentHead(record, owner, line.process);
  }
  const turns = turnsAfter(record, owner, line?.others);
  record.save();
  if (token !== undefined) return { token: BigInt(token), turns };
  return { token, retryAfter: Math.min(retryAfter(record, owner, rules), forfeit ?? Infinity), turns };
}

/**
 * A waiter that repeats its claim may find that the head of the line could go and did not. A head
 * of another process then loses its place, unless it comes soon. Returns in how many ms to look.
 */
function hastenAbsentHead(record: KeyRecord, owner: string, process: string): number | undefined {
  const head = record.line.head();
  if (head === undefined || head.owner === owner || head.process === process) return undefined;
  if (!record.admits(head.permits)) return undefined;
  const forfeit = record.now + Math.round(head.lasts / 6);
  if (head.deadline > forfeit) record.line.hastenLapse(head, forfeit);
  // Core comes up to a tenth earlier than it is told.
  return Math.ceil((Math.min(head.deadline, forfeit) - record.now) / 900) + 1;
}

/** Restarts the ttl of a hold. */
export function renew(record: KeyRecord, claim: Claim, token: bigint | undefined): Renewed {
  const renewed = restart(record, claim, token === undefined ? undefined : Number(token));
  const turns = turnsAfter(record, claim.owner);
  record.save();
  return { renewed, turns };
}

/** Gives up the hold, or the place in line. */
export function release(record: KeyRecord, { owner }: Claim): Released {
  record.line.leave(owner);
  const freed = record.free(owner);
  const turns = turnsAfter(record, owner);
  record.save();
  return { freed, turns };
}

/** How many may share, as the tables have it; `undefined`: the claim is exclusive. */
function permitsOf({ mode, permits, resize }: Claim): number | undefined {
  return mode === 'shared' ? (permits ?? 0) * (resize ? -1 : 1) : undefined;
}

function checkPermits(record: KeyRecord, claim: Claim, permits: number | undefined): void {
  if (permits === undefined || claim.resize) return;
  const fixed = record.fixedPermits(claim.owner);
  if (fixed !== undefined && fixed !== permits) throw permitsRefused(claim, fixed === 0 ? undefined : fixed);
}

/** A claim that holds already: the same token, the ttl restarted, perhaps downgraded. */
function repeat(record: KeyRecord, claim: Claim, permits: number | undefined): number | undefined {
  const { owner } = claim;
  const until = record.now + claim.ttl * 1_000;
  const shared = record.shareOf(owner);
  if (shared !== undefined && permits === undefined) throw upgradeRefused(claim);
  if (shared === undefined && record.owner !== owner) return undefined;
  const token = shared ?? record.version;
  if (permits === undefined) record.hold(owner, until);
  else record.share(owner, token, permits, until);
  return token;
}

/** The token of a new hold; `undefined`: not now. */
function admit(record: KeyRecord, claim: Claim, permits: number | undefined, rules: Rules): number | undefined {
  const { owner } = claim;
  const head = record.line.head();
  const passes = !rules.fair || head === undefined || head.owner === owner;
  if (!passes || !record.admits(permits)) return undefined;
  if (head !== undefined) record.line.leave(owner);
  const token = record.mint(rules.leastToken(claim.floor));
  if (token === undefined) throw tokensEnded(claim);
  const until = record.now + claim.ttl * 1_000;
  if (permits === undefined) record.hold(owner, until);
  else record.share(owner, token, permits, until);
  return token;
}

/** Whether there was a hold to restart, and its token is not above `token`. */
function restart(record: KeyRecord, { owner, ttl }: Claim, token: number | undefined): boolean {
  const shared = record.shareOf(owner);
  if (shared === undefined && record.owner !== owner) return false;
  const own = shared ?? record.version;
  if (token !== undefined && own > token) return false;
  record.version = Math.max(record.version, token ?? 0);
  const until = record.now + ttl * 1_000;
  if (shared === undefined) record.hold(owner, until);
  else record.extendShare(owner, token ?? own, until);
  return true;
}

/**
 * The head of the line, if it can go, or if its place was just kept. In the second case it must
 * look when a holder would expire.
 */
function turnsAfter(record: KeyRecord, owner: string, kept: readonly string[] = []): readonly Turn[] {
  const head = record.line.head();
  if (head === undefined || head.owner === owner) return [];
  return record.admits(head.permits) || kept.includes(head.owner) ? [head] : [];
}

/** The head looks when a holder would expire; the others only show that they are alive. */
function retryAfter(record: KeyRecord, owner: string, { fair, waiterTtl }: Rules): number {
  const refresh = Math.floor(waiterTtl / 3);
  const head = record.line.head();
  const first = head === undefined || head.owner === owner || !fair;
  const expiry = record.earliestExpiry();
  if (!first || expiry === undefined) return Math.max(1, refresh);
  return Math.max(1, Math.min(refresh, Math.ceil((expiry - record.now) / 1_000) + 1));
}
