import type { Busy, Grant, KeyState } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import type { KeyAnswer, KeyCall, KeyRecord, Refusal } from '@locks/core/adapter';
import type { Difference } from './options.ts';

/** How closely times are compared. */
export interface Closeness {
  /** How much less of a hold may remain, in ms. */
  readonly remaining: number;
  /** How much more, in ms: a request that came late, or twice, restarts its ttl. */
  readonly longer: number;
  /** Of `retryAfter`, in ms. `undefined`: not compared. */
  readonly retryAfter: number | undefined;
}

/** How the answer of a provider differs from that of the rules. */
export function differenceOf(
  op: KeyCall['op'],
  answer: unknown,
  expected: KeyAnswer,
  after: KeyRecord,
  close: Closeness,
): Difference['what'] | undefined {
  const refused = isLockError(answer, 'LOCK_INVALID');
  if (op === 'acquire') return ofAttempt(answer, expected as Grant | Busy | Refusal, refused, close);
  if (refused) return 'refusal';
  if (op === 'renew') return (answer === false) === (expected === false) ? undefined : 'renewed';
  if (op === 'release') return answer === expected ? undefined : 'freed';
  return ofInspection(answer as KeyState, expected as KeyState, after, close);
}

function ofAttempt(
  answer: unknown,
  expected: Grant | Busy | Refusal,
  refused: boolean,
  close: Closeness,
): Difference['what'] | undefined {
  if (refused !== (expected.granted === undefined)) return 'refusal';
  if (refused || expected.granted === undefined) return undefined;
  const given = answer as Grant | Busy;
  if (given.granted !== expected.granted) return 'granted';
  if (given.granted) return given.token === (expected as Grant).token ? undefined : 'token';
  const apart = Math.abs((given.retryAfter ?? Infinity) - ((expected as Busy).retryAfter ?? Infinity));
  return close.retryAfter !== undefined && !(apart <= close.retryAfter) ? 'retryAfter' : undefined;
}

function ofInspection(
  answer: KeyState,
  expected: KeyState,
  after: KeyRecord,
  close: Closeness,
): Difference['what'] | undefined {
  if (answer.waiters !== expected.waiters) return 'waiters';
  const named = (answer.queue ?? []).map(({ owner, mode, permits }) => `${mode} ${permits} ${owner}`);
  const right = (expected.queue ?? []).map(({ owner, mode, permits }) => `${mode} ${permits} ${owner}`);
  if (answer.queue !== undefined && named.join() !== right.join()) return 'queue';
  if (answer.holders.length !== expected.holders.length) return 'holders';
  for (const { owner, mode, permits, token, remaining } of expected.holders) {
    const holder = answer.holders.find((one) => one.owner === owner);
    if (holder?.mode !== mode || holder.permits !== permits) return 'holders';
    // The store minted the token of an assigned hold, and no call has returned it yet.
    const told = after.holds.find((hold) => hold.owner === owner)?.assigned === false;
    if (told && holder.token !== token) return 'token';
    // Sessions have no such moment.
    if (remaining === undefined || holder.remaining === undefined || remaining === Infinity) continue;
    const longer = holder.remaining - remaining;
    if (longer > close.longer || -longer > close.remaining) return 'remaining';
  }
  return undefined;
}

/** An answer, or a call, in one line. */
export function inWords(value: unknown): string {
  if (value instanceof Error) return isLockError(value) ? value.code : String(value);
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (key === 'key' || key === 'contact') return undefined;
    return typeof part === 'bigint' ? `${part}n` : part;
  });
  return text ?? String(value);
}
