import type { LockErrorOptions } from '@locks/core';
import { LockError } from '@locks/core/adapter';
import { isPermanent } from '@locks/core/composite';
import type { Member } from './member.ts';

/** The members of a composite, and how many must agree. */
export interface Quorum {
  readonly members: readonly Member[];
  readonly need: number;
}

/**
 * `failures` of members, as one error that names them. Permanent if so many members refuse that the
 * others are too few. `nothingLeft`: no member can have anything of the claim. `without`: how many
 * members answered without a vote for it.
 */
export function combinedError(
  { members: { length }, need }: Quorum,
  failures: readonly LockError[],
  key: string,
  { nothingLeft = false, without = 0 }: { readonly nothingLeft?: boolean; readonly without?: number } = {},
): LockError {
  const permanent = failures.filter((error) => isPermanent(error));
  const code = length - permanent.length < need ? (permanent[0]?.code ?? 'LOCK_UNAVAILABLE') : 'LOCK_UNAVAILABLE';
  const others = without === 0 ? '' : `, ${without} ${without === 1 ? 'has' : 'have'} no vote for this claim`;
  const what = `${failures.length} of ${length} members gave no usable answer${others}, and ${need} are needed.`;
  const retryAfter = untilEnough(failures, need - (length - failures.length));
  return errorOfAll(code, what, failures, { key, retryAfter, sent: nothingLeft ? false : undefined });
}

/** The ms until enough of the failed ones answer. `undefined`: too few of them report it. */
function untilEnough(failures: readonly LockError[], missing: number): number | undefined {
  const waits = failures.flatMap(({ retryAfter }) => retryAfter ?? []).toSorted((left, right) => left - right);
  return waits[missing - 1];
}

/** One error for all of `failures`. */
export function errorOfAll(
  code: LockError['code'],
  what: string,
  failures: readonly LockError[],
  options: LockErrorOptions = {},
): LockError {
  const told = failures.map(({ message }) => message).join(' ');
  return new LockError(code, `${what} ${told}`.trim(), { ...options, cause: new AggregateError(failures, told) });
}
