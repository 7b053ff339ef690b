import type { Holder, KeyState, UnknownState } from '@locks/core';
import { outerOwner } from './member.ts';

/** A member's report of a key. */
export type ToldState = KeyState | UnknownState;

/** A hold at one member, under the owner that the member knows. */
export interface MemberHold {
  readonly member: number;
  readonly owner: string;
  readonly holder: Holder;
}

/** All holds of one owner of the composite, by owner. `states`: by member. */
export function holdsByOwner(states: readonly (ToldState | undefined)[]): ReadonlyMap<string, readonly MemberHold[]> {
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

/** Whether enough members know the owner, so that it holds the key. */
export function isEnough(holds: readonly MemberHold[], need: number): boolean {
  // A member may know an owner under several suffixes.
  return new Set(holds.map(({ member }) => member)).size >= need;
}

/** Whether the members without an answer cannot change the result of `isEnough`. */
export function isKnown(
  states: readonly (ToldState | undefined)[],
  holds: readonly MemberHold[],
  need: number,
): boolean {
  const silent = states.filter((state) => state?.holders === undefined).length;
  return isEnough(holds, need) || !isEnough(holds, need - silent);
}

/**
 * The members' reports as one state. A holder is an owner that `need` members know. Without `need`:
 * each owner, as its members know it.
 */
export function combineStates(key: string, members: readonly ToldState[], need?: number): KeyState {
  const holders = [...holdsByOwner(members)]
    .filter(([, holds]) => isEnough(holds, need ?? 1))
    .map(([owner, holds]) => combineHolder(owner, holds, need ?? holds.length));
  // A claim waits in one queue only.
  const waiters = members.reduce((sum, state) => sum + (state.waiters ?? 0), 0);
  const queue = members
    .flatMap((state) => state.queue ?? [])
    .map((waiter) => ({ ...waiter, owner: outerOwner(waiter.owner) }));
  return { key, holders, waiters, ...(queue.length === 0 ? {} : { queue }), members };
}

function combineHolder(owner: string, holds: readonly MemberHold[], need: number): Holder {
  const mode = holds.every(({ holder }) => holder.mode === 'shared') ? 'shared' : 'exclusive';
  const tokens = holds.flatMap(({ holder }) => holder.token ?? []).toSorted(ascending);
  // A member that was asked again later has a higher one.
  const token = tokens.length < need ? undefined : tokens[tokens.length - need];
  const remaining = holds.map(({ holder }) => holder.remaining ?? Infinity).toSorted((left, right) => right - left)[
    need - 1
  ];
  const permits = holds[0]?.holder.permits;
  return {
    owner,
    mode,
    ...(permits !== undefined && { permits }),
    ...(token === undefined ? {} : { token }),
    ...(remaining === undefined || remaining === Infinity ? {} : { remaining }),
  };
}

function ascending(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
