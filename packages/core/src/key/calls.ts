import type { Busy, Claim, Grant, KeyState, Renewal } from '../contract.ts';
import { admits, nextToken } from './admission.ts';
import type { KeyRules, Refusal } from './admission.ts';
import { add, find, remove } from './by-owner.ts';
import { earliest, purge } from './record.ts';
import type { Hold, KeyRecord, Place } from './record.ts';

/** Called with each claim in the queue that should try now, or was granted the key. */
export type Tell<Contact> = (waiter: Place<Contact>) => void;

/** An attempt. With `contact` a busy claim takes or keeps its position in the queue. */
export function acquire<Contact>(
  record: KeyRecord<Contact>,
  claim: Claim,
  contact: Contact | undefined,
  now: number,
  rules: KeyRules,
  tell: Tell<Contact>,
): Grant | Busy | Refusal {
  purge(record, now);
  const { owner } = claim;
  const hold = find(record.holds, owner);
  const decided = hold === undefined ? admit(record, claim, now, rules) : repeat(record, hold, claim, now, rules);
  if (decided === undefined && contact !== undefined) takePlace(record, claim, contact, now + rules.waiterTtl);
  if (record.queue.length > 0) advance(record, owner, now, rules, tell);
  return decided ?? { granted: false, retryAfter: retryAfter(record, owner, now, rules) };
}

/** Restarts the ttl of a hold. With `token` also sets its token, unless its own is higher. */
export function renew<Contact>(
  record: KeyRecord<Contact>,
  claim: Claim,
  token: bigint | undefined,
  now: number,
  rules: KeyRules,
  tell: Tell<Contact>,
): Renewal | false {
  purge(record, now);
  const hold = find(record.holds, claim.owner);
  const renewed = hold !== undefined && (token === undefined || BigInt(hold.token) <= token);
  if (renewed) {
    const until = now + claim.ttl;
    const head = record.queue[0];
    // The head expects this hold to end later, and must be notified of an earlier end.
    if (head !== undefined && until < hold.until) tell(head);
    hold.until = until;
    hold.assigned = false;
    if (token !== undefined) hold.token = Number(token);
    record.token = Math.max(record.token, hold.token);
  }
  if (record.queue.length > 0) advance(record, undefined, now, rules, tell);
  return renewed ? {} : false;
}

/** Gives up what the claim has. `true`: a hold that an attempt had returned. */
export function release<Contact>(
  record: KeyRecord<Contact>,
  { owner }: Claim,
  now: number,
  rules: KeyRules,
  tell: Tell<Contact>,
): boolean {
  purge(record, now);
  const hold = find(record.holds, owner);
  if (hold === undefined) leave(record, owner);
  else remove(record.holds, hold);
  if (record.queue.length > 0) advance(record, undefined, now, rules, tell);
  return hold !== undefined && !hold.assigned;
}

/** The most waiters named by an inspection. */
const shownInQueue = 100;

/** The holders and the queue. Grants nothing and wakes no claim. */
export function inspect(record: KeyRecord, now: number): Omit<KeyState, 'key'> {
  purge(record, now);
  const holders = record.holds.map(({ owner, mode, permits, token, until }) => ({
    owner,
    mode,
    ...(permits !== undefined && { permits }),
    token: BigInt(token),
    remaining: until - now,
  }));
  const waiters = record.queue.length;
  if (waiters === 0) return { holders, waiters };
  const queue = record.queue
    .slice(0, shownInQueue)
    .map(({ owner, mode, permits }) => ({ owner, mode, ...(permits !== undefined && { permits }) }));
  return { holders, waiters, queue };
}

/** A new claim. `undefined`: it is not its turn, or there is no room. */
function admit(record: KeyRecord, claim: Claim, now: number, rules: KeyRules): Grant | Refusal | undefined {
  const head = record.queue[0];
  const first = head === undefined || head.owner === claim.owner;
  if (!first || !admits(record, claim)) return undefined;
  if (head !== undefined) leave(record, claim.owner);
  return take(record, claim, now + claim.ttl, false, now, rules);
}

/** A holder keeps its token, whatever the floor. It may change from exclusive to shared. */
function repeat(
  record: KeyRecord,
  hold: Hold,
  { mode, permits, ttl, floor }: Claim,
  now: number,
  rules: KeyRules,
): Grant | Refusal {
  if (hold.mode === 'shared' && mode === 'exclusive') return { granted: undefined, refused: 'upgrade' };
  // It was assigned before this floor, so no attempt has returned its token yet.
  if (hold.assigned && floor !== undefined && floor >= BigInt(hold.token)) {
    const token = nextToken(record, floor, now, rules);
    if (token === undefined) return { granted: undefined, refused: 'tokens' };
    record.token = token;
    hold.token = token;
  }
  hold.mode = mode;
  hold.permits = permits;
  hold.until = now + ttl;
  hold.assigned = false;
  return { granted: true, token: BigInt(hold.token) };
}

function take(
  record: KeyRecord,
  claim: Omit<Claim, 'key' | 'ttl'> | Place<unknown>,
  until: number,
  assigned: boolean,
  now: number,
  rules: KeyRules,
): Grant | Refusal {
  const token = nextToken(record, claim.floor, now, rules);
  if (token === undefined) return { granted: undefined, refused: 'tokens' };
  const { owner, mode, permits } = claim;
  record.token = token;
  record.holds = add(record.holds, { owner, mode, permits, token, until, assigned });
  return { granted: true, token: BigInt(token) };
}

function takePlace<Contact>(record: KeyRecord<Contact>, claim: Claim, contact: Contact, until: number): void {
  const { owner, mode, permits, ttl, floor } = claim;
  if (record.queue.length === 0 || until < record.lapse) record.lapse = until;
  const place = find(record.queue, owner);
  if (place === undefined) {
    record.queue = add(record.queue, { owner, mode, permits, contact, until, ttl, floor });
    return;
  }
  place.contact = contact;
  place.until = until;
  place.ttl = ttl;
  place.floor = floor;
}

function leave(record: KeyRecord, owner: string): void {
  if (record.queue.length === 0) return;
  const place = find(record.queue, owner);
  if (place !== undefined) remove(record.queue, place);
}

/**
 * Ends every call that may have changed what the head of the queue waits for. A head that can
 * proceed is notified, and granted the key where the store assigns keys. `caller` has its answer.
 */
function advance<Contact>(
  record: KeyRecord<Contact>,
  caller: string | undefined,
  now: number,
  rules: KeyRules,
  tell: Tell<Contact>,
): void {
  const head = record.queue[0];
  if (head === undefined || head.owner === caller || !admits(record, head)) return;
  tell(head);
  if (rules.assigns?.(head) !== true) return;
  // Not longer than its position would have lasted, as its process may be dead.
  const until = Math.min(now + head.ttl, head.until);
  if (!take(record, head, until, true, now, rules).granted) return;
  remove(record.queue, head);
  advance(record, caller, now, rules, tell);
}

/** The head attempts again when a hold ends. Others only refresh their positions. */
function retryAfter(record: KeyRecord, owner: string, now: number, { waiterTtl }: KeyRules): number {
  const refresh = waiterTtl / 3;
  const head = record.queue[0];
  const first = head === undefined || head.owner === owner;
  return first ? Math.min(refresh, Math.max(0, earliest(record.holds, Infinity) - now)) : refresh;
}
