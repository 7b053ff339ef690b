import { numberOf, textOf } from '../connection.ts';
import type { Session } from '../session.ts';

/**
 * Looks whether the host has been booted since the tables were last used: in a transaction that
 * writes. Then all holds are void, and the times in the tables mean nothing. Where the platform
 * does not tell its boots apart, a row that was written later than now tells it. A row that was not
 * has at most its ttl left.
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
