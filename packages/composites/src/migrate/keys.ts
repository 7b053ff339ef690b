import type { End, Phase } from './phase.ts';

/**
 * Its tokens say how high those of the store are. All migrations of a store have it together: the
 * next one begins above the floor of the one before.
 */
export const floorKey = 'migration/floor';

/** What the keys of all migrations start with. */
export const keysOfMigrations = 'migration/';

/** All other keys of a migration start with it. */
function reservedFor(name: string): string {
  return `${keysOfMigrations}${name}/`;
}

/** Whether a key is one of the migration's own. */
export function isReserved(name: string, key: string): boolean {
  return key === floorKey || key.startsWith(reservedFor(name));
}

/** The name of the migration whose presence or note a key is. */
export function migrationOf(key: string): string | undefined {
  return /^migration\/([^/]+)\/(?:from|to|both\/(?:from|both|to))$/.exec(key)?.[1];
}

/** Held, shared, in the store of `end` by each process that acts under it. */
export function presenceKey(name: string, end: End): string {
  return `${reservedFor(name)}${end}`;
}

/**
 * Held, shared, by each process that stays in `both`: whether it is to, or waits for an end. It
 * decides nothing; `migrationStatus` shows it.
 */
export function noteKey(name: string, desired: Phase): string {
  return `${reservedFor(name)}both/${desired}`;
}

/** The store of such a note. */
export function noteStore(desired: Phase): End {
  return desired === 'to' ? 'to' : 'from';
}

/** Its copy in the other store: one that lost its data gets it back from there. */
export function floorCopy(name: string, end: End): string {
  return `${reservedFor(name)}floor-of-${end}`;
}

/** The register in the store of `end` that has the mark of a process of the other end. */
export function markRegister(name: string, end: End): string {
  return `${reservedFor(name)}left-${end}`;
}

/** The register in each store that tells which stores a migration is between. */
export function storesRegister(name: string): string {
  return `${reservedFor(name)}stores`;
}

/** Whether a key is one of any migration: it has holders without a number. */
export function isOfAMigration(key: string): boolean {
  return key === floorKey || migrationOf(key) !== undefined;
}
