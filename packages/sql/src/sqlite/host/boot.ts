import { numberOf, textOf } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';

/**
 * Ends all holds if the host has been booted since the tables were last used: times before the boot
 * mean nothing. It runs in a transaction that writes. Where the platform gives boots no names, a
 * row that was written later than now shows a boot. A hold that goes unnoticed has at most its ttl
 * left.
 */
export function noticeBoot(session: Session, boot: string | undefined, now: number): void {
  const stored = textOf(session.row('readHost')?.['boot']);
  const name = boot ?? 'unknown';
  if (stored !== name || (boot === undefined && numberOf(session.row('lastTouched')?.['touched'] ?? 0) > now)) {
    session.run('voidKeys');
    session.run('voidShares');
    session.run('voidLine');
  }
  // In any case: a file that is read-only shows here, and not in the first claim.
  session.run('writeBoot', { boot: name });
}
