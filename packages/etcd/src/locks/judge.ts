import type { Claim } from '@locks/core';
import { isHeld } from './queue.ts';
import type { Entry, KeyQueue } from './queue.ts';

/** What a queue means for a claim. */
export type Verdict =
  /** It holds the key already. */
  | { readonly kind: 'held' }
  /** It may have the key. `own`: its place. */
  | { readonly kind: 'free'; readonly own: Entry | undefined }
  /** `ahead`: the claims of which one has to change before its turn can come. */
  | { readonly kind: 'busy'; readonly own: Entry | undefined; readonly ahead: readonly Entry[] }
  /** It shares the key, and asks for it exclusively. */
  | { readonly kind: 'refused' };

/**
 * What `queue` means for `claim`. Claims before it only end, or come to share what they hold. So
 * "free" stays true until the claim is granted, as long as it keeps its place.
 */
export function judge({ entries }: KeyQueue, claim: Claim): Verdict {
  const at = entries.findIndex(({ owner }) => owner === claim.owner);
  const own = entries[at];
  if (own !== undefined && isHeld(own)) {
    return { kind: own.mode === 'shared' && claim.mode === 'exclusive' ? 'refused' : 'held' };
  }
  const before = at === -1 ? entries : entries.slice(0, at);
  const last = before.at(-1);
  if (last !== undefined && !isHeld(last)) return { kind: 'busy', own, ahead: [last] };
  const free = last === undefined || (claim.mode === 'shared' && admits(before, claim));
  return free ? { kind: 'free', own } : { kind: 'busy', own, ahead: before };
}

function admits(holders: readonly Entry[], { permits = Infinity }: Claim): boolean {
  return holders.every(({ mode }) => mode === 'shared') && holders.length < permits;
}
