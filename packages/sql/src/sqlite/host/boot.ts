import { numberOf, textOf } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';

/** In place of the name of a boot that some process could not tell. */
const unknown = 'unknown';

/** What the tables say of the boot that their times are of. */
export interface StoredBoot {
  /** `''`: no process has used them yet. */
  readonly name: string;
  /** When a process wrote last. Asked where a name is unknown. */
  readonly touched: () => number;
}

/**
 * Whether the host has been booted since the tables were last used, and the name to write there.
 * Two names that differ prove it. A process that cannot read the name proves nothing by that: there
 * a clock that has gone back is the proof. A boot that goes unnoticed leaves holds with their ttl
 * at most. An unknown name stays until the next boot, as those who wrote it may hold.
 */
export function compareBoots(
  { name, touched }: StoredBoot,
  boot: string | undefined,
  now: number,
): { readonly booted: boolean; readonly name: string } {
  if (name === '') return { booted: false, name: boot ?? unknown };
  if (name !== unknown && boot !== undefined) return { booted: name !== boot, name: boot };
  const booted = touched() > now;
  return { booted, name: booted && boot !== undefined ? boot : unknown };
}

/**
 * Ends all holds if the host has been booted since the tables were last used: times before the boot
 * mean nothing. It runs in a transaction that writes.
 */
export function noticeBoot(session: Session, boot: string | undefined, now: number): void {
  const stored = {
    name: textOf(session.row('readHost')?.['boot']),
    touched: () => numberOf(session.row('lastTouched')?.['touched'] ?? 0),
  };
  const { booted, name } = compareBoots(stored, boot, now);
  if (booted) {
    session.run('voidKeys');
    session.run('voidShares');
    session.run('voidLine');
  }
  // In any case: a file that is read-only shows here, and not in the first claim.
  session.run('writeBoot', { boot: name });
}
