import { misconfigured, withoutClaims } from '@locks/core/adapter';
import { numberOf, textOf } from './connection/connection.ts';
import type { Session } from './session.ts';

/** Replaces the name of a boot that some process could not read. */
const unknown = 'unknown';

/** The recorded boot, to which the times in the tables belong. */
export interface StoredBoot {
  /** `''`: no process has used them yet. */
  readonly name: string;
  /** When a process wrote last. Called if a name is unknown. */
  readonly written: () => number;
}

/**
 * Whether the host has been rebooted since the tables were last used, and the name to record. Two
 * different names prove it. If a name cannot be read, a clock that has gone back proves it. An
 * unnoticed reboot leaves holds for at most their ttl. An unknown name is kept until the next boot,
 * as its writers may hold.
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
 * Ends all holds if the host has been rebooted since the tables were last used, as earlier times
 * are meaningless. Call it in a write transaction.
 * @throws `LOCK_MISCONFIGURED` on Linux, if the clock has gone back and this process may not read
 * the name of the boot: another namespace has another clock, and others may hold.
 */
export function noticeBoot(session: Session, boot: string | undefined, now: number): void {
  const stored = {
    name: textOf(session.row('readHost')?.['boot']),
    written: () => numberOf(session.row('lastWritten')?.['written'] ?? 0),
  };
  const { booted, name } = compareBoots(stored, boot, now);
  if (booted && boot === undefined && process.platform === 'linux') throw hiddenBoot(session.path);
  if (booted) endClaims(session, now);
  // Always, so that a read-only file fails here, and not in the first claim.
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
      // A text that is not core's stays: each call on its key is refused.
      continue;
    }
    session.run('rewrite', { key, record, now });
  }
}

function hiddenBoot(path: string): Error {
  return misconfigured(
    '@locks/sql',
    `the SQLite file ${JSON.stringify(path)} has times later than the clock of this process, which may not read /proc/sys/kernel/random/boot_id. Allow it to read that, or open the file in a process that may`,
  );
}
