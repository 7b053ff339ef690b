import type { Claim } from '@locks/core';
import { sequenceOf } from '../../nodes/sequence.ts';
import { resized, uuidOf } from '../contenders.ts';

/** A node in `leases`. */
export interface HeldLease {
  readonly name: string;
  /** Its number in the order of arrival. Absent: its name has none. */
  readonly sequence?: number | undefined;
  /** How many may hold, `Infinity` for any number. Absent: it fixes no number, as Curator's. */
  readonly limit?: number;
  /** A hash of its owner, where this package made it. */
  readonly uuid?: string;
}

/**
 * The name of a claim's lease before the number that ZooKeeper puts behind it. Curator counts
 * leases of any name.
 */
export function leaseName({ owner, permits, resize }: Pick<Claim, 'owner' | 'permits' | 'resize'>): string {
  const limit = permits === undefined ? 'shared' : `${resize ? resized : ''}of-${permits}`;
  return `_c_${uuidOf(owner)}-${limit}-lease-`;
}

/** The children of `leases`. All of them count, as they do for Curator. */
export function parseLeases(names: readonly string[]): HeldLease[] {
  return names.map(parseLease);
}

function parseLease(name: string): HeldLease {
  const sequence = sequenceOf(name);
  const [, uuid, mark, permits] = /^_c_([-0-9a-f]{36})-(?:shared|(resized-)?of-(\d+))-lease--?\d+$/.exec(name) ?? [];
  if (uuid === undefined) return { name, sequence };
  if (mark !== undefined) return { name, sequence, uuid };
  return { name, sequence, uuid, limit: permits === undefined ? Infinity : Number(permits) };
}

/**
 * Whether the lease called `own` is among the first `permits` of `leases`, which were read after it
 * was made. The maker of a later lease reads later, and has counted this one.
 */
export function isAmongFirst(leases: readonly HeldLease[], own: string, permits: number = Infinity): boolean {
  const mine = leases.find(({ name }) => name === own);
  if (mine === undefined) return false;
  // Without a number the order is not known.
  const isLater = ({ sequence }: HeldLease): boolean =>
    mine.sequence !== undefined && sequence !== undefined && sequence > mine.sequence;
  return leases.filter((lease) => lease !== mine && !isLater(lease)).length < permits;
}
