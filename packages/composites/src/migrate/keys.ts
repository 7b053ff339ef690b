import type { Phase, PhaseWord } from './phase.ts';

/** The prefix of the keys of all migrations. No user's claim has such a key. */
export const keysOfMigrations = 'migration/';

/**
 * Held, shared, in a store by each process that takes, or is about to take, locks in that store
 * alone: whatever its migration's name, and whichever end the store is.
 */
export const presenceKey: string = `${keysOfMigrations}alone`;

/** Claimed without a floor, to see where the tokens of a store currently begin. */
export const probeKey: string = `${keysOfMigrations}probe`;

/** Claimed with a floor, by which some stores raise the tokens of all keys. */
export const raiseKey: string = `${keysOfMigrations}raise`;

/** Held, shared, by each process of a migration, for its status only. */
export function noteKey(name: string): string {
  return `${keysOfMigrations}${name}/processes`;
}

/** The name of the migration whose note a key is. */
export function migrationOf(key: string): string | undefined {
  return /^migration\/([^/]+)\/processes$/.exec(key)?.[1];
}

/** The call label that marks a presence as that of an acting process. */
export const markLabel = 'acts';

/** The call label of a note. */
export function noteLabel(effective: Phase, desired: PhaseWord): string {
  return `${effective}>${desired}`;
}

/** The label of a process: `label~id`. The id is unique, whatever the label. */
export function processLabel(label: string, uniqueId: string): string {
  const id = uniqueId.toLowerCase().replaceAll(/[^\da-z]/g, '');
  return `${label.slice(0, 90)}~${id.slice(0, 8)}`;
}

/** The parsed owner of a lease on a key of a migration. */
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
