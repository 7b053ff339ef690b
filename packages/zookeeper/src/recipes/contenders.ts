import { hash } from 'node:crypto';
import type { Claim, Mode } from '@locks/core';
import { digits, sequenceOf } from '../nodes/sequence.ts';

/**
 * The node names of a queue: those of Curator's `InterProcessMutex` or `InterProcessReadWriteLock`.
 */
export type QueueNames = 'mutex' | 'read-write';

/** A node in the queue. */
export interface Contender {
  readonly name: string;
  /** Its number in the order of arrival. */
  readonly sequence: number;
  readonly mode: Mode;
  /** Shared only. Absent: unlimited. */
  readonly permits?: number;
  /** A hash of its owner, if Curator or this package created it. */
  readonly uuid?: string;
}

/** A name with one of these before its number is shared: ours, Curator's and kazoo's. */
const knownSharedMarkers = ['-shared-lock-', '__READ__', '__rlock__'] as const;

/** Identifies a claim's node: a hash of its owner, in the form of a UUID. */
export function uuidOf(owner: string): string {
  const hex = hash('sha256', owner, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** The name of a claim's node before ZooKeeper's number. */
export function contenderName(recipe: QueueNames, claim: Pick<Claim, 'owner' | 'mode' | 'permits'>): string {
  const { owner, mode, permits } = claim;
  const start = `_c_${uuidOf(owner)}-`;
  if (recipe === 'mutex') {
    // Curator sorts by the text after the last "lock-", and ignores the text before it.
    if (mode === 'exclusive') return `${start}lock-`;
    return permits === undefined ? `${start}shared-lock-` : `${start}shared-of-${permits}-lock-`;
  }
  if (mode === 'exclusive') return `${start}__WRIT__`;
  return permits === undefined ? `${start}__READ__` : `${start}of-${permits}-__READ__`;
}

/**
 * Parses a child of a key's folder. `undefined`: it is not in the queue. Every name that ends in a
 * number is a contender of any client. It is shared if the text before the number ends in a known
 * marker or in one of `sharedMarkers`. All others are exclusive.
 */
export function parseContender(name: string, sharedMarkers: readonly string[] = []): Contender | undefined {
  const sequence = sequenceOf(name);
  if (sequence === undefined) return undefined;
  const uuid = readUuid(name);
  const own = uuid === undefined ? {} : { uuid };
  const permits = readPermits(name);
  if (permits !== undefined) return { name, sequence, mode: 'shared', permits, ...own };
  const end = name.length - digits;
  const ends = (marker: string): boolean => name.endsWith(marker, end);
  const mode = knownSharedMarkers.some(ends) || sharedMarkers.some(ends) ? 'shared' : 'exclusive';
  return { name, sequence, mode, ...own };
}

/** The contenders among a folder's children, in no order. */
export function parseContenders(names: readonly string[], sharedMarkers: readonly string[] = []): Contender[] {
  return names.map((name) => parseContender(name, sharedMarkers)).filter((contender) => contender !== undefined);
}

/** The nodes of one owner, in order. More than one: a `create` was repeated after a lost reply. */
export function placesOf(queue: readonly Contender[], uuid: string): Contender[] {
  return queue.filter((contender) => contender.uuid === uuid).toSorted(inOrder);
}

/** The order of arrival, for sorting. */
export function inOrder(one: Contender, other: Contender): number {
  return one.sequence - other.sequence;
}

function readUuid(name: string): string | undefined {
  return /^_c_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-/.exec(name)?.[1];
}

function readPermits(name: string): number | undefined {
  if (!name.includes('of-')) return undefined;
  const text = /-(?:shared-of-(\d+)-lock-|of-(\d+)-__READ__)\d{10}$/.exec(name);
  return text === null ? undefined : Number(text[1] ?? text[2]);
}
