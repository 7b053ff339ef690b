import type { Claim } from '@locks/core';
import { permitsRefused, upgradeRefused } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import { isHeld } from './line.ts';
import type { Entry, KeyLine } from './line.ts';

/** What a line means for a claim. */
export type Verdict =
  /** It holds the key already. */
  | { readonly kind: 'held'; readonly own: Entry }
  /** It may have the key. `own`: its place. */
  | { readonly kind: 'free'; readonly own: Entry | undefined }
  /** `ahead`: the claims of which one has to change before its turn can come. */
  | { readonly kind: 'busy'; readonly own: Entry | undefined; readonly ahead: readonly Entry[] }
  | { readonly kind: 'refused'; readonly own: Entry | undefined; readonly reason: LockError };

/**
 * What `line` means for `claim`. Claims before it only end, or come to share what they hold. So
 * "free" stays true until the claim is granted, as long as it keeps its place.
 */
export function judge({ entries }: KeyLine, claim: Claim): Verdict {
  const at = entries.findIndex(({ owner }) => owner === claim.owner);
  const own = entries[at];
  const reason = refusal(entries, claim, own);
  if (reason !== undefined) return { kind: 'refused', own, reason };
  if (own !== undefined && isHeld(own)) return { kind: 'held', own };
  const before = at === -1 ? entries : entries.slice(0, at);
  const last = before.at(-1);
  if (last !== undefined && !isHeld(last)) return { kind: 'busy', own, ahead: [last] };
  const free = last === undefined || (claim.mode === 'shared' && admits(before, claim));
  return free ? { kind: 'free', own } : { kind: 'busy', own, ahead: before };
}

function admits(holders: readonly Entry[], { permits = Infinity }: Claim): boolean {
  return holders.every(({ mode }) => mode === 'shared') && holders.length < permits;
}

/** A claim without `resize` that shares the key, or waits to, fixes the number of permits. */
function refusal(entries: readonly Entry[], claim: Claim, own: Entry | undefined): LockError | undefined {
  if (claim.mode === 'exclusive') {
    return own !== undefined && isHeld(own) && own.mode === 'shared' ? upgradeRefused(claim) : undefined;
  }
  if (claim.resize) return undefined;
  const fixed = entries.find(({ mode, resize }) => mode === 'shared' && !resize);
  return fixed === undefined || fixed.permits === claim.permits ? undefined : permitsRefused(claim, fixed.permits);
}
