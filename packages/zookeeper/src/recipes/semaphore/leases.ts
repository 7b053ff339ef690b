import type { Claim } from '@locks/core';
import { sequenceOf } from '../../nodes/sequence.ts';
import { uuidOf } from '../contenders.ts';

/** A node in `leases`. */
export interface HeldLease {
  readonly name: string;
  /** Its number in the order of arrival. Absent: its name has none. */
  readonly sequence?: number | undefined;
  /**
   * The permits of its claim. Absent: any number, or Curator's, whose names do not contain them.
   */
  readonly permits?: number;
  /** A hash of its owner, if this package created it. */
  readonly uuid?: string;
}

/** The name of a claim's lease before ZooKeeper's number. Curator counts leases of any name. */
export function leaseName({ owner, permits }: Pick<Claim, 'owner' | 'permits'>): string {
  const limit = permits === undefined ? 'shared' : `of-${permits}`;
  return `_c_${uuidOf(owner)}-${limit}-lease-`;
}

/** The children of `leases`. All of them count, as for Curator. */
export function parseLeases(names: readonly string[]): HeldLease[] {
  return names.map(parseLease);
}

function parseLease(name: string): HeldLease {
  const sequence = sequenceOf(name);
  const [, uuid, permits] = /^_c_([-0-9a-f]{36})-(?:shared|of-(\d+))-lease--?\d+$/.exec(name) ?? [];
  if (uuid === undefined) return { name, sequence };
  return { name, sequence, uuid, ...(permits !== undefined && { permits: Number(permits) }) };
}

/**
 * Whether the lease `own` is among the first `permits` of `leases`, which were read after its
 * creation. The creator of a later lease reads later, and has counted this one.
 */
export function isAmongFirst(leases: readonly HeldLease[], own: string, permits: number = Infinity): boolean {
  const mine = leases.find(({ name }) => name === own);
  if (mine === undefined) return false;
  // Without a number the order is unknown.
  const isLater = ({ sequence }: HeldLease): boolean =>
    mine.sequence !== undefined && sequence !== undefined && sequence > mine.sequence;
  return leases.filter((lease) => lease !== mine && !isLater(lease)).length < permits;
}
