import type { Claim } from '@locks/core';
import { uuidOf } from './names.ts';
import type { Verdict } from './line.ts';

/** Below the node of a key that is a semaphore of Curator's (`InterProcessSemaphoreV2`): the mutex of who is next, and who has a permit. */
export const semaphoreFolders = { locks: 'locks', leases: 'leases' } as const;

/** The name of a claim's node among the leases before its number. Curator counts them and reads nothing from their names. */
export function leaseName({ owner, permits }: Pick<Claim, 'owner' | 'permits'>): string {
  return `_c_${uuidOf(owner)}-${permits === undefined ? '' : `of-${permits}-`}lease-`;
}

/**
 * Whether the node `own` among the leases, whose maker has the mutex, is one of the permitted. Curator's rule: no more nodes than
 * permits, in any order; only who has the mutex may add one. Another number of permits is noticed where this package made the node.
 */
export function judgeLeases(names: readonly string[], own: string, permits: number): Verdict {
  if (!names.includes(own)) return { state: 'missing' };
  const others = names.filter((name) => name !== own);
  const inUse = others.map(permitsOf).find((number) => number !== undefined && number !== permits);
  if (inUse !== undefined) return { state: 'refused', inUse };
  // Any permits of them: were fewer watched, those could be the ones that stay.
  return others.length < permits ? { state: 'holds' } : { state: 'waits', watch: others.slice(0, permits) };
}

function permitsOf(name: string): number | undefined {
  const text = /-of-(\d+)-lease-\d+$/.exec(name)?.[1];
  return text === undefined ? undefined : Number(text);
}
