import type { KeyState as MemberState, LockState, UnknownState } from '@locks/core';
import { jobOfLock, lockOfJob } from '@locks/core/adapter';
import { modeText, printable } from '@locks/core/text';
import { jobTable } from '../jobs/job-text.ts';
import type { Output } from '../output/output.ts';
import { bold, table } from '../output/table.ts';
import { withStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { holderColumns, keyText, stateRow, stateWord, waitersWord } from '../state/state-text.ts';
import { runOf } from '../state/states-of.ts';
import type { KeyState } from '../state/states-of.ts';

/** Prints the last run of the job `key`, the holders of the lock `key`, or both. */
export async function inspect(key: string, options: StoreOptions, output: Output): Promise<void> {
  await withStore(options, output, async (locks) => {
    const name = jobOfLock(key) ?? key;
    const [lock, atWork, run] = await Promise.all([
      locks.inspect(key),
      locks.inspect(lockOfJob(name)),
      runOf(locks, name),
    ]);
    const isJob = run !== undefined || isUsed(atWork);
    const job = { ...atWork, run };
    if (isJob) await output.print(textOf(job), stateRow(job));
    if (!isJob || (key === name && isUsed(lock))) await output.print(textOf(lock), stateRow(lock));
  });
}

function isUsed({ holders, waiters }: LockState): boolean {
  return holders.length > 0 || waiters > 0;
}

function textOf(state: KeyState): string {
  const { key, run, holders, waiters, queue, members = [] } = state;
  const parts = [`${bold(keyText(key))}: ${stateWord(state)}, ${waitersWord(waiters)}`];
  if (run !== undefined) {
    parts.push(jobTable([run]));
    if (run.error !== undefined) parts.push(`error: ${printable(run.error)}`);
  }
  if (holders.length > 0) {
    parts.push(table(['OWNER', 'MODE', 'TOKEN', 'EXPIRES IN'], holders.map(holderColumns)));
  }
  if (queue !== undefined) {
    const rows = queue.map((waiter, index) => [String(index + 1), printable(waiter.owner), modeText(waiter)]);
    parts.push(`\n${table(['TURN', 'OWNER', 'MODE'], rows)}`);
  }
  for (const [index, member] of members.entries()) parts.push(`member ${index + 1}: ${memberText(member)}`);
  return parts.join('\n');
}

function memberText(member: MemberState | UnknownState): string {
  if (member.holders === undefined) return `not known: ${printable(member.error.message)}`;
  const { holders, waiters, key } = member;
  const word = stateWord({ holders: holders.map((holder) => ({ ...holder, key })) });
  const owners = holders.map(({ owner }) => printable(owner)).join(', ');
  return `${word}${owners === '' ? '' : ` by ${owners}`}, ${waitersWord(waiters)}`;
}
