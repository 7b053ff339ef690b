import type { Phase, PhaseWord } from './phase.ts';

/** What the keys of all migrations start with. No claim of a user has such a key. */
export const keysOfMigrations = 'migration/';

/**
 * Held, shared, in a store by each process that takes locks in that store alone, or is about to:
 * whatever its migration is called, and whichever end the store is of it.
 */
export const presenceKey: string = `${keysOfMigrations}alone`;

/** Claimed without a floor, to see where the tokens of a store begin at this moment. */
export const probeKey: string = `${keysOfMigrations}probe`;

/** Claimed with a floor, by which some stores raise the tokens of all keys. */
export const raiseKey: string = `${keysOfMigrations}raise`;

/** Held, shared, by each process of a migration, for its status. It decides nothing. */
export function noteKey(name: string): string {
  return `${keysOfMigrations}${name}/processes`;
}

/** The name of the migration whose note a key is. */
export function migrationOf(key: string): string | undefined {
  return /^migration\/([^/]+)\/processes$/.exec(key)?.[1];
}

/** The call label of a lease on the presence's key that is the mark of a process which acts. */
export const markLabel = 'acts';

/** The call label of a note. */
export function noteLabel(effective: Phase, desired: PhaseWord): string {
  return `${effective}>${desired}`;
}

/** The label of a process: `label~id`. No other process has the id, whatever its label. */
export function processLabel(label: string, uniqueId: string): string {
  const id = uniqueId.toLowerCase().replaceAll(/[^\da-z]/g, '');
  return `${label.slice(0, 90)}~${id.slice(0, 8)}`;
}

/** What the owner of a lease on a key of a migration says. */
export interface Sign {
  /** `label~id`. */
  readonly process: string;
  readonly note?: { readonly effective: Phase; readonly desired: PhaseWord };
  /** It is a mark. */
  readonly acts: boolean;
}

const noted = /^(.*~[\da-z]+)(?::(?:(from|both|to)>(from!?|both|to!?)|(acts)))?\//;

export function readSign(owner: string): Sign {
  const [, process = owner, effective, desired, acts] = noted.exec(owner) ?? [];
  const note = effective && { effective: effective as Phase, desired: desired as PhaseWord };
  return { process, acts: acts !== undefined, ...(note && { note }) };
}
