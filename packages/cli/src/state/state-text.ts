import type { LockHolder, LockState } from '@locks/core';
import { modeText, printable, span } from '@locks/core/text';
import type { Row } from '../output/output.ts';

/** `state` for a line of JSON. */
export function stateRow({ key, holders, waiters, queue, members }: LockState): Row {
  return {
    key,
    holders: holders.map(({ owner, mode, permits, token, remaining }) => ({ owner, mode, permits, token, remaining })),
    waiters,
    ...(queue && { queue }),
    ...(members && { members: members.map(memberRow) }),
  };
}

function memberRow(member: NonNullable<LockState['members']>[number]): Row {
  if (member.holders === undefined) return { error: member.error.message };
  return stateRow({ ...member, holders: member.holders.map((holder) => ({ ...holder, key: member.key })) });
}

/** Columns of one holder: its owner, how it holds, its token, and when the store lets go. */
export function holderColumns({ owner, token, remaining, ...terms }: LockHolder): readonly string[] {
  // The store keeps a key for longer than the lease is valid, where it rests after the lease.
  return [
    printable(owner),
    modeText(terms),
    token === undefined ? '–' : String(token),
    span(remaining) || 'with its session',
  ];
}

/** `free`, `held`, or `shared by 3`, for people. */
export function stateWord({ holders }: Pick<LockState, 'holders'>): string {
  const [first] = holders;
  if (first === undefined) return 'free';
  return first.mode === 'shared' ? `shared by ${holders.length}` : 'held';
}

/** How many wait, for people. */
export function waitersWord(waiters: number): string {
  return waiters === 0 ? 'nothing waits' : `${waiters} ${waiters === 1 ? 'waits' : 'wait'}`;
}
