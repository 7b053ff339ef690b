import { hash } from 'node:crypto';
import type { Claim, Mode } from '@locks/core';

/** Whose names the nodes of a line have: Curator's `InterProcessMutex` or its `InterProcessReadWriteLock`. */
export type LineRecipe = 'mutex' | 'read-write';

/** A node in line. */
export interface Contender {
  readonly name: string;
  /** Its number in the order of arrival. Numbers past 2^31 - 1, which ZooKeeper is documented to write as negative ones, go on here. */
  readonly sequence: number;
  readonly mode: Mode;
  /** Shared only; absent: unlimited. */
  readonly permits?: number;
  /** Tells whose it is, where Curator or this package made it. */
  readonly uuid?: string;
}

/** Whose names end so, before their number, shares: ours and those of Curator and kazoo. */
const knownSharedMarkers = ['-shared-lock-', '__READ__', '__rlock__'] as const;

const digits = 10;
const largest = 2 ** 31 - 1;

/** Finds a claim's node again: a hash of its owner, in the form of a UUID. */
export function uuidOf(owner: string): string {
  const hex = hash('sha256', owner, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** The name of a claim's node before the number that ZooKeeper puts behind it. */
export function contenderName(recipe: LineRecipe, claim: Pick<Claim, 'owner' | 'mode' | 'permits'>): string {
  const { owner, mode, permits } = claim;
  const start = `_c_${uuidOf(owner)}-`;
  if (recipe === 'mutex') {
    // Curator sorts by what follows the last "lock-", whatever is before it.
    if (mode === 'exclusive') return `${start}lock-`;
    return permits === undefined ? `${start}shared-lock-` : `${start}shared-of-${permits}-lock-`;
  }
  if (mode === 'exclusive') return `${start}__WRIT__`;
  return permits === undefined ? `${start}__READ__` : `${start}of-${permits}-__READ__`;
}

/** The name of a node made in place of one with this number: an exclusive holder that becomes a shared one keeps its place. */
export function numbered(prefix: string, sequence: number): string {
  return `${prefix}${String(sequence).padStart(digits, '0')}`;
}

/**
 * What a child of a key's node is. Every name that ends in a number is a contender, whoever made it: exclusive, unless its name ends
 * before the number in what is known to mean shared, or in one of `sharedMarkers`. `undefined`: not in line.
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

/** The contenders among a node's children, in no order. */
export function parseContenders(names: readonly string[], sharedMarkers: readonly string[] = []): Contender[] {
  return names.map((name) => parseContender(name, sharedMarkers)).filter((contender) => contender !== undefined);
}

/** The number at the end of a name; `undefined`: there is none. Character by character: lists of thousands are read at every wake. */
export function sequenceOf(name: string): number | undefined {
  const start = name.length - digits;
  if (start < 0) return undefined;
  let number = 0;
  for (let index = start; index < name.length; index += 1) {
    const digit = name.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return isNegative(name, start, number) ? 2 ** 32 - number : number;
}

/** A hyphen before the number may belong to either side: most prefixes end in one. */
function isNegative(name: string, start: number, number: number): boolean {
  if (name[start - 1] !== '-' || number > largest + 1) return false;
  const before = name[start - 2];
  return number > largest || before === '-' || before === '_';
}

function readUuid(name: string): string | undefined {
  return /^_c_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-/.exec(name)?.[1];
}

function readPermits(name: string): number | undefined {
  if (!name.includes('of-')) return undefined;
  const text = /-(?:shared-of-(\d+)-lock-|of-(\d+)-__READ__)\d{10}$/.exec(name);
  return text === null ? undefined : Number(text[1] ?? text[2]);
}
