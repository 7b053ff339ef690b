import { numberOf, textOf } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';

/**
 * Ends all holds if the host has been booted since the table was last used: times before the boot
 * mean nothing. It runs in a transaction that writes. `boot` is `undefined` where the platform does
 * not tell its boots apart. Then a write that is later than now tells. A hold that goes unnoticed
 * has at most its ttl left.
 */
export function noticePlainBoot(
  session: Pick<Session<'readHost' | 'voidHolds' | 'writeHost'>, 'row' | 'run'>,
  boot: string | undefined,
  now: number,
): void {
  const host = session.row('readHost');
  const name = boot ?? 'unknown';
  const wentBack = boot === undefined && numberOf(host?.['held_until'] ?? 0) > now;
  if (textOf(host?.['owner']) !== name || wentBack) session.run('voidHolds');
  // In any case: a file that is read-only shows here, and not in the first claim.
  session.run('writeHost', { boot: name, now });
}
