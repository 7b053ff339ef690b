import type { End, Phase } from './phase.ts';

/**
 * Its tokens say how high those of the store are. All migrations of a store have it together: the
 * next one begins above the floor of the one before.
 */
export const floorKey = 'migration/floor';

/** All other keys of a migration start with it. */
function reservedFor(name: string): string {
  return `migration/${name}/`;
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
