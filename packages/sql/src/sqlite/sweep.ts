import { setImmediate } from 'node:timers/promises';
import type { Swept } from '../dialect/stores/store.ts';
import { hostTime } from './host/clock.ts';
import { numberOf, textOf } from './connection/connection.ts';
import type { Session } from './connection/session.ts';

/**
 * Looks at the `limit` rows after the key `after`, and removes those that are idle and of a version
 * below `older`, with their companions. It takes a few ms, in which no other process writes.
 */
export async function sweep(session: Session, older: number, limit: number, after: string): Promise<Swept> {
  const last = session.read(() => session.row('sweepStretch', { after, length: limit - 1 })?.['key']);
  const to = last === undefined ? undefined : textOf(last);
  const removed = sweepStretch(session, { after, to: to ?? null, older });
  // The process has done nothing else meanwhile, and the next step may follow at once.
  await setImmediate();
  return { removed, next: to };
}

/** Removes the idle rows of one stretch, and returns how many there were. */
function sweepStretch(
  session: Session,
  stretch: { readonly after: string; readonly to: string | null; readonly older: number },
): number {
  if (session.read(() => session.row('sweepable', { ...stretch, now: hostTime() })) === undefined) return 0;
  return session.write(() => {
    const rows = session.rows('sweep', { ...stretch, now: hostTime() });
    if (rows.length === 0) return 0;
    const keys = JSON.stringify(rows.map(({ key }) => key));
    session.run('sweepShares', { keys });
    session.run('sweepLine', { keys });
    // What a row that comes back must exceed, however the clock of its process may go.
    session.run('raiseSwept', { version: Math.max(...rows.map(({ version }) => numberOf(version))) });
    return rows.length;
  });
}
