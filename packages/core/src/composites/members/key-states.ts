import type { Holder, KeyState } from '../../contract.ts';
import { outerOwner } from './member.ts';

/** A hold at one member, under the owner that the member knows. */
export interface MemberHold {
  readonly member: number;
  readonly owner: string;
  readonly holder: Holder;
  /** Of the grant: the session that the hold depends on. An inspection does not tell it. */
  readonly lost?: AbortSignal | undefined;
}

/**
 * All holds of one owner of the composite, by owner. `states`: `undefined` where a member did not
 * answer.
 */
export function holdsByOwner(states: readonly (KeyState | undefined)[]): ReadonlyMap<string, readonly MemberHold[]> {
  const owners = new Map<string, MemberHold[]>();
  states.forEach((state, member) => {
    for (const holder of state?.holders ?? []) {
      const owner = outerOwner(holder.owner);
      const holds = owners.get(owner) ?? [];
      holds.push({ member, owner: holder.owner, holder });
      owners.set(owner, holds);
    }
  });
  return owners;
}

/**
 * Whether so many members know the owner that it holds the key. With fewer answers than members,
 * all that answered are enough.
 */
export function isEnough(
  states: readonly (KeyState | undefined)[],
  holds: readonly MemberHold[],
  need: number,
): boolean {
  const answered = states.filter((state) => state !== undefined).length;
  return new Set(holds.map(({ member }) => member)).size >= Math.min(need, answered);
}

/** Whether the members without an answer cannot change whether `need` members know the owner. */
export function isKnown(states: readonly (KeyState | undefined)[], owner: string, need: number): boolean {
  const holds = holdsByOwner(states).get(owner) ?? [];
  const silent = states.filter((state) => state === undefined).length;
  return holds.length >= need || holds.length + silent < need;
}

/**
 * The states of the members as one. A holder is an owner that `need` members know; with fewer
 * answers than members, all that answered may be enough.
 */
export function combineStates(key: string, states: readonly (KeyState | undefined)[], need: number): KeyState {
  const answered = states.filter((state) => state !== undefined);
  const enough = Math.min(need, answered.length);
  const holders = [...holdsByOwner(states)]
    .filter(([, holds]) => isEnough(states, holds, need))
    .map(([owner, holds]) => combineHolder(owner, holds, enough));
  // A claim waits in one line only.
  const waiters = answered.reduce((sum, state) => sum + state.waiters, 0);
  return { key, holders, waiters, members: answered };
}

/**
 * The states of the members as one, where a claim may be held by any of them: each holder as its
 * members know it.
 */
export function allHolders(key: string, states: readonly (KeyState | undefined)[]): KeyState {
  const answered = states.filter((state) => state !== undefined);
  const holders = [...holdsByOwner(states)].map(([owner, holds]) => combineHolder(owner, holds, holds.length));
  const waiters = answered.reduce((sum, state) => sum + state.waiters, 0);
  return { key, holders, waiters, members: answered };
}

function combineHolder(owner: string, holds: readonly MemberHold[], need: number): Holder {
  const mode = holds.every(({ holder }) => holder.mode === 'shared') ? 'shared' : 'exclusive';
  const tokens = holds.flatMap(({ holder }) => holder.token ?? []).toSorted(ascending);
  // A member that was asked again later has a higher one.
  const token = tokens.length < need ? undefined : tokens[tokens.length - need];
  const remaining = holds.map(({ holder }) => holder.remaining ?? Infinity).toSorted((left, right) => right - left)[
    need - 1
  ];
  return {
    owner,
    mode,
    ...(token === undefined ? {} : { token }),
    ...(remaining === undefined || remaining === Infinity ? {} : { remaining }),
  };
}

function ascending(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
