import type { Claim } from '../contract.ts';

/** Held, shared, in each member of a composite by each process that uses it. */
export const setKey = 'quorum/members';

/**
 * Whether `claim` is the presence of a process in a composite. It guards no work. It is repeated,
 * and its loss is noticed, so what limits the ttl of leases does not apply.
 */
export function isPresence({ key, mode }: Pick<Claim, 'key' | 'mode'>): boolean {
  // Members may be in a namespace, which puts its prefix before the key.
  return mode === 'shared' && key.endsWith(setKey);
}
