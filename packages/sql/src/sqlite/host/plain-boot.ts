import { numberOf, textOf } from '../connection/connection.ts';
import type { Session } from '../connection/session.ts';
import { compareBoots } from './boot.ts';

/** As `noticeBoot`, in the one table of the plain lock. */
export function noticePlainBoot(
  session: Pick<Session<'readHost' | 'voidHolds' | 'writeHost'>, 'row' | 'run'>,
  boot: string | undefined,
  now: number,
): void {
  const host = session.row('readHost');
  const stored = { name: textOf(host?.['owner']), touched: () => numberOf(host?.['held_until'] ?? 0) };
  const { booted, name } = compareBoots(stored, boot, now);
  if (booted) session.run('voidHolds');
  // In any case: a file that is read-only shows here, and not in the first claim.
  session.run('writeHost', { boot: name, now });
}
