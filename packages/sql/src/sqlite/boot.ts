import { misconfigured, withoutClaims } from '@locks/core/adapter';
import { numberOf, textOf } from './connection/connection.ts';
import type { Session } from './session.ts';

/** In place of the name of a boot that some process could not tell. */
const unknown = 'unknown';

/** What the tables say of the boot that their times are of. */
export interface StoredBoot {
  /** `''`: no process has used them yet. */
  readonly name: string;
  /** When a process wrote last. Asked where a name is unknown. */
  readonly written: () => number;
}

/**
 * Whether the host has been booted since the tables were last used, and the name to write there.
 * Two names that differ prove it. A process that cannot read the name proves nothing by that: there
 * a clock that has gone back is the proof. A boot that goes unnoticed leaves holds with their ttl
 * at most. An unknown name stays until the next boot, as those who wrote it may hold.
 */
export function compareBoots(
  { name, written }: StoredBoot,
  boot: string | undefined,
  now: number,
): { readonly booted: boolean; readonly name: string } {
  if (name === '') return { booted: false, name: boot ?? unknown };
  if (name !== unknown && boot !== undefined) return { booted: name !== boot, name: boot };
  const booted = written() > now;
  return { booted, name: booted && boot !== undefined ? boot : unknown };
}

/**
 * Ends all holds if the host has been booted since the tables were last used: times before the boot
 * mean nothing. It runs in a transaction that writes.
 * @throws `LOCK_MISCONFIGURED` on Linux, where the clock has gone back and this process may not
 * read the name of the boot: in another namespace it has another clock, and others may hold.
 */
export function noticeBoot(session: Session, boot: string | undefined, now: number): void {
  const stored = {
    name: textOf(session.row('readHost')?.['boot']),
    written: () => numberOf(session.row('lastWritten')?.['written'] ?? 0),
  };
  const { booted, name } = compareBoots(stored, boot, now);
  if (booted && boot === undefined && process.platform === 'linux') throw hiddenBoot(session.path);
  if (booted) endClaims(session, now);
  // In any case: a file that is read-only shows here, and not in the first claim.
  session.run('writeBoot', { boot: name });
}

/** The counters of keys stay. */
function endClaims(session: Session, now: number): void {
  for (const row of session.rows('allKeys')) {
    const key = textOf(row['key']);
    let record: string;
    try {
      record = withoutClaims(key, textOf(row['record']));
    } catch {
      // A text that is none of core's stays: each call on its key is refused.
      continue;
    }
    session.run('rewrite', { key, record, now });
  }
}

function hiddenBoot(path: string): Error {
  return misconfigured(
    '@locks/sql',
    `the SQLite file ${JSON.stringify(path)} was used later than now by the clock of this process, which may not read /proc/sys/kernel/random/boot_id. Let it read that, or open the file in a process that may`,
  );
}
