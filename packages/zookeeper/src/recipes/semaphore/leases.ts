import type { Claim } from '@locks/core';
import { sequenceOf, uuidOf } from '../contenders.ts';

/** A node in `leases`: somebody is inside. */
export interface HeldLease {
  readonly name: string;
  /** Its number in the order of arrival; absent: its name has none. */
  readonly sequence?: number | undefined;
  /** How many may be inside; `Infinity`: any number. Absent: it does not tell, as those of Curator. */
  readonly limit?: number;
  /** Tells whose it is, where this package made it. */
  readonly uuid?: string;
}

/** The name of a claim's lease before the number that ZooKeeper puts behind it. Curator counts leases, whatever their names. */
export function leaseName({ owner, permits }: Pick<Claim, 'owner' | 'permits'>): string {
  return `_c_${uuidOf(owner)}-${permits === undefined ? 'shared' : `of-${permits}`}-lease-`;
}

/** What the children of `leases` are. Whatever is there counts, as it does for Curator. */
export function parseLeases(names: readonly string[]): HeldLease[] {
  return names.map(parseLease);
}

function parseLease(name: string): HeldLease {
  const sequence = sequenceOf(name);
  const [, uuid, permits] = /^_c_([-0-9a-f]{36})-(?:shared|of-(\d+))-lease--?\d+$/.exec(name) ?? [];
  if (uuid === undefined) return { name, sequence };
  return { name, sequence, uuid, limit: permits === undefined ? Infinity : Number(permits) };
}

/**
 * Whether the lease called `own` is among the first `permits` of `leases`, which were read after it was made. Who makes a lease
 * looks afterwards, so the maker of a later one has counted this one.
 */
export function isAmongFirst(leases: readonly HeldLease[], own: string, permits: number = Infinity): boolean {
  const mine = leases.find(({ name }) => name === own);
  if (mine === undefined) return false;
  // Without a number it is not known which came first.
  const isLater = ({ sequence }: HeldLease): boolean =>
    mine.sequence !== undefined && sequence !== undefined && sequence > mine.sequence;
  return leases.filter((lease) => lease !== mine && !isLater(lease)).length < permits;
}
