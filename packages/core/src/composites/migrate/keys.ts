import type { End, Phase } from './phase.ts';

/** All keys of a migration start with it. */
export function reservedFor(name: string): string {
  return `migration/${name}/`;
}

/** Held, shared, in the store of `end` by each process that acts under it. */
export function presenceKey(name: string, end: End): string {
  return `${reservedFor(name)}${end}`;
}

/** Its tokens say how high those of the store are. */
export function floorKey(name: string): string {
  return `${reservedFor(name)}floor`;
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
