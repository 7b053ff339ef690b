import type { LockProvider } from '@locks/core';
import { labelOf } from '@locks/core/text';
import { noteKey, noteStore, presenceKey } from './keys.ts';
import { phases } from './phase.ts';
import type { End, Phase } from './phase.ts';

/** A process that takes part in a migration. */
export interface MigrationProcess {
  /** `host:pid`, or its label. */
  readonly process: string;
  /** Which phase its configuration says. */
  readonly desired: Phase;
  /**
   * What it takes locks under. In `both` while it desires an end: others are in its way, or it
   * looks for them. In an end that it does not desire: it has leases there, and takes no more.
   */
  readonly effective: Phase;
  /**
   * Since when, in epoch ms of the store's clock. Absent where the store's tokens are no times:
   * ZooKeeper.
   */
  readonly since?: number;
}

/** A lease by which a process tells of its phase. */
export interface Sign {
  readonly process: string;
  /** `undefined`: a note. */
  readonly presence: End | undefined;
  /** Of a note: which phase the process is to be in. */
  readonly desired: Phase;
  readonly since?: number;
}

/** The signs in the store of `end`. */
export async function readSigns(name: string, end: End, provider: LockProvider): Promise<readonly Sign[]> {
  const { expiry } = provider.traits;
  const found: Sign[] = [];
  const read = async (key: string, desired: Phase, present?: End): Promise<void> => {
    for (const { owner, token } of (await provider.inspect(key)).holders) {
      const since = expiry === 'ttl' && token !== undefined ? { since: Number(token / 1_000n) } : {};
      found.push({ process: labelOf(owner), presence: present, desired, ...since });
    }
  };
  // A process that begins to act gives its note back: what was read first does not hide it.
  await read(presenceKey(name, end), end, end);
  for (const desired of phases) if (noteStore(desired) === end) await read(noteKey(name, desired), desired);
  return found;
}

/**
 * What the signs tell of the processes. A process with a note and a presence enters that end, or
 * leaves it. Processes may have one label: then a process may be missing, and another one seems to
 * be on its way.
 */
export function joinSigns(signs: readonly Sign[]): readonly MigrationProcess[] {
  const notes = signs.filter(({ presence }) => presence === undefined);
  const found: MigrationProcess[] = [];
  const add = ({ process, desired, since }: Sign, effective: Phase): void => {
    found.push({ process, desired, effective, ...(since === undefined ? {} : { since }) });
  };
  for (const sign of signs) {
    const { presence, process } = sign;
    if (presence === undefined) continue;
    const own = notes.filter((note) => note.process === process);
    const note = own.find(({ desired }) => desired === presence) ?? own[0];
    if (note === undefined) add(sign, presence);
    else {
      notes.splice(notes.indexOf(note), 1);
      add(note, note.desired === presence ? 'both' : presence);
    }
  }
  for (const note of notes) add(note, 'both');
  return found.toSorted((one, other) => (one.process < other.process ? -1 : 1));
}

/** Labels that several processes seem to have: one has a note and a presence at most. */
export function doubledLabels(signs: readonly Sign[]): readonly string[] {
  const doubled = signs.filter((sign, index) => {
    const same = (other: Sign): boolean =>
      other.process === sign.process && (other.presence === undefined) === (sign.presence === undefined);
    return signs.findIndex(same) !== index;
  });
  return [...new Set(doubled.map(({ process }) => process))];
}
