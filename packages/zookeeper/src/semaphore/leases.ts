import type { Claim, Mode } from '@locks/core';
import { uuidOf } from '../line/names.ts';

/** A node in `leases`: somebody is inside. */
export interface HeldLease {
  readonly name: string;
  readonly mode: Mode;
  /** How many may be inside; `Infinity`: any number. Absent: it does not tell, as those of Curator. */
  readonly limit?: number;
  /** Tells whose it is, where this package made it. */
  readonly uuid?: string;
}

/** The name of a claim's lease before the number that ZooKeeper puts behind it. Curator counts leases, whatever their names. */
export function leaseName({ owner, mode, permits }: Pick<Claim, 'owner' | 'mode' | 'permits'>): string {
  const kind = mode === 'exclusive' ? 'exclusive' : permits === undefined ? 'shared' : `of-${permits}`;
  return `_c_${uuidOf(owner)}-${kind}-lease-`;
}

/** What the children of `leases` are. Whatever is there counts, as it does for Curator. */
export function parseLeases(names: readonly string[]): HeldLease[] {
  return names.map(parseLease);
}

function parseLease(name: string): HeldLease {
  const [, uuid, kind, permits] = /^_c_(.{36})-(exclusive|shared|of-(\d+))-lease-\d+$/.exec(name) ?? [];
  if (uuid === undefined) return { name, mode: 'shared' };
  if (kind === 'exclusive') return { name, uuid, mode: 'exclusive' };
  return { name, uuid, mode: 'shared', limit: permits === undefined ? Infinity : Number(permits) };
}
