import type { KeyState, LockState } from '@locks/core';
import { labelOf, messageOf, printable } from '@locks/core/text';
import type { KeyView } from '../views.ts';

/** `state`, for the page. */
export function keyView({ key, holders, waiters, queue = [], members = [] }: LockState): KeyView {
  return {
    key,
    text: printable(key),
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
