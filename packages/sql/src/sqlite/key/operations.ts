import { refusalOf, step } from '@locks/core/adapter';
import type { KeyRecord, KeyRules, Place, Refusal } from '@locks/core/adapter';
import type { Busy, Claim, Grant } from '@locks/core';
import type { Attempt, Line, Released, Renewed, Turn } from '../../dialect/stores/lock-store.ts';
import type { Session } from '../connection/session.ts';
import { StoredKey } from './stored-key.ts';

/** What the operations on a key go by. */
export interface Rules extends KeyRules {
  /** Told when a place in line was taken. */
  placeTaken(): void;
}

/** How an attempt is made. */
export interface AttemptUse {
  /** Absent: no place in line is taken or kept. */
  readonly line: Line | undefined;
  /** No attempt of the claim was granted yet. */
  readonly repeated: boolean;
  /** When, in µs, as in the other operations. */
  readonly now: number;
}

/**
 * An attempt to hold the key.
 * @throws `LOCK_INVALID`
 */
export function attempt(session: Session, claim: Claim, { line, repeated, now }: AttemptUse, rules: Rules): Attempt {
  const { key, owner } = claim;
  const others = line?.others ?? [];
  if (others.length > 0) {
    const deadline = now + rules.waiterTtl * 1_000;
    session.run('keepOthers', { key, owners: JSON.stringify(others), now, deadline });
  }
  const stored = new StoredKey(session, { key, owner, now });
  if (!repeated) countAsAnswered(stored, owner);
  const call = { op: 'acquire', claim, contact: line?.process } as const;
  const { record, answer, wake } = step(stored.record, call, now / 1_000, rules);
  const decided = answer as Grant | Busy | Refusal;
  if (decided.granted === undefined) throw refusalOf(decided, claim);
  const absent = wake.find((told) => record.line.includes(told));
  const forfeit = line !== undefined && stored.waited ? hastenAbsentHead(stored, absent, line, now) : undefined;
  if (stored.save(record)) rules.placeTaken();
  const turns = turnsOf(wake, record, now, others);
  if (decided.granted) return { token: decided.token, turns };
  // The head looks after a holder has expired, not at that moment.
  const due = Math.min(rules.waiterTtl / 3, Math.ceil(decided.retryAfter ?? 0) + 1);
  return { token: undefined, retryAfter: Math.max(1, Math.min(Math.floor(due), forfeit ?? Infinity)), turns };
}

/** Restarts the ttl of a hold. */
export function renew(session: Session, claim: Claim, token: bigint | undefined, now: number, rules: Rules): Renewed {
  const { key, owner } = claim;
  const stored = new StoredKey(session, { key, owner, now });
  const { record, answer, wake } = step(stored.record, { op: 'renew', claim, token }, now / 1_000, rules);
  stored.save(record);
  return { renewed: answer !== false, turns: turnsOf(wake, record, now) };
}

/** Gives up the hold, or the place in line. */
export function release(session: Session, claim: Claim, now: number, rules: Rules): Released {
  const { key, owner } = claim;
  const stored = new StoredKey(session, { key, owner, now });
  // The line knows whether an attempt was answered with what this frees.
  countAsAnswered(stored, owner);
  const { record, answer, wake } = step(stored.record, { op: 'release', claim }, now / 1_000, rules);
  stored.save(record);
  return { freed: answer === true, turns: turnsOf(wake, record, now) };
}

/** The line has answered an attempt with a hold that was assigned to `owner`: its token stays. */
function countAsAnswered({ record }: StoredKey, owner: string): void {
  const [hold] = record.holds;
  if (hold?.owner === owner) hold.assigned = false;
}

/**
 * A waiter that repeats its claim may find that the head of the line could go and did not. A head
 * of another process then loses its place, unless it comes soon. Returns in how many ms to look.
 */
function hastenAbsentHead(
  stored: StoredKey,
  head: Place<string> | undefined,
  { process }: Line,
  now: number,
): number | undefined {
  if (head === undefined || head.contact === process) return undefined;
  const forfeit = now + Math.round((stored.headLasts * 1_000) / 6);
  if (head.until * 1_000 > forfeit) stored.hastenLapse(head.owner, forfeit);
  // Core comes up to a tenth earlier than it is told.
  return Math.ceil((Math.min(head.until * 1_000, forfeit) - now) / 900) + 1;
}

/**
 * The claims that the call has told, and the head of the line if its place was just kept: it must
 * look when a holder would expire.
 */
function turnsOf(
  told: readonly Place<string>[],
  { line: [head], holds }: KeyRecord<string>,
  now: number,
  kept: readonly string[] = [],
): readonly Turn[] {
  const looks = head !== undefined && kept.includes(head.owner) && !told.includes(head);
  return (looks ? [...told, head] : told).map(({ owner, contact }) => {
    const hold = holds.find((each) => each.assigned && each.owner === owner);
    const assigned = hold && { token: BigInt(hold.token), validity: hold.until - now / 1_000 };
    return { owner, process: contact, assigned };
  });
}
