import type { LockHolder, LockState } from '@locks/core';
import { jobOfLock } from '@locks/core/adapter';
import { modeText, printable, span, timeText } from '@locks/core/text';
import { jobRow, outcomeText } from '../jobs/job-text.ts';
import type { Row } from '../output/output.ts';
import type { KeyState } from './states-of.ts';

/** A key for people: `job report` for the lock of a job. */
export function keyText(key: string): string {
  const job = jobOfLock(key);
  return job === undefined ? printable(key) : `job ${printable(job)}`;
}

/** `state` as a row of JSON. */
export function stateRow({ key, holders, waiters, queue, members, run }: KeyState): Row {
  const job = jobOfLock(key);
  return {
    ...(run !== undefined ? jobRow(run) : job !== undefined && { job }),
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

/** The columns of one holder: its owner, how it holds, its token, and when its hold expires. */
export function holderColumns({ owner, token, remaining, ...terms }: LockHolder): readonly string[] {
  // With a cooldown, the store keeps a key for longer than the lease is valid.
  return [
    printable(owner),
    modeText(terms),
    token === undefined ? '–' : String(token),
    span(remaining) || 'with its session',
  ];
}

/** `free`, `held`, `shared by 3`, or the state of a job's run, for people. */
export function stateWord({ holders, run }: Pick<KeyState, 'holders' | 'run'>): string {
  if (run !== undefined) return `${outcomeText(run)}, slot ${timeText(run.slot)}`;
  const [first] = holders;
  if (first === undefined) return 'free';
  return first.mode === 'shared' ? `shared by ${holders.length}` : 'held';
}

/** The number of waiters, for people. */
export function waitersWord(waiters: number): string {
  return waiters === 0 ? 'nothing waits' : `${waiters} ${waiters === 1 ? 'waits' : 'wait'}`;
}
