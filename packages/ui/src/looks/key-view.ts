import type { JobRun, KeyState, LockState } from '@locks/core';
import { jobOfLock } from '@locks/core/adapter';
import { labelOf, messageOf, printable, timeText } from '@locks/core/text';
import type { KeyView } from '../views.ts';

/** The state of a key, and the record of the run for the lock of a job. */
export interface ShownState extends LockState {
  readonly run?: JobRun | undefined;
}

/** A key for people: `job report` for the lock of a job. */
export function keyText(key: string): string {
  const job = jobOfLock(key);
  return job === undefined ? printable(key) : `job ${printable(job)}`;
}

/** `state`, for the page. */
export function keyView({ key, run, holders, waiters, queue = [], members = [] }: ShownState): KeyView {
  return {
    key,
    text: printable(key),
    name: keyText(key),
    ...(run !== undefined && { run: { state: run.state, slot: timeText(run.slot) } }),
    holders: holders.map(({ owner, mode, permits, token, remaining }) => ({
      ...named(owner),
      owner,
      mode,
      ...(permits !== undefined && { permits }),
      ...(token !== undefined && { token: String(token) }),
      ...(remaining !== undefined && { remaining }),
    })),
    waiters,
    queue: queue.map(({ owner, mode, permits }) => ({
      ...named(owner),
      mode,
      ...(permits !== undefined && { permits }),
    })),
    members: members.map(memberText),
  };
}

function named(owner: string): { readonly text: string; readonly label: string } {
  return { text: printable(owner), label: printable(labelOf(owner)) };
}

function memberText(member: NonNullable<KeyState['members']>[number]): string {
  if (member.holders === undefined) return `not known: ${printable(messageOf(member.error))}`;
  if (member.holders.length === 0) return 'free';
  return `held by ${member.holders.map(({ owner }) => printable(owner)).join(', ')}`;
}
