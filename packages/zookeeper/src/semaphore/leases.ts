import type { Claim } from '@locks/core';
import { uuidOf } from '../line/names.ts';

/** A node in `leases`: somebody is inside. */
export interface HeldLease {
  readonly name: string;
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
  const [, uuid, permits] = /^_c_([-0-9a-f]{36})-(?:shared|of-(\d+))-lease--?\d+$/.exec(name) ?? [];
  if (uuid === undefined) return { name };
  return { name, uuid, limit: permits === undefined ? Infinity : Number(permits) };
}
