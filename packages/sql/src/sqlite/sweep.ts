import { setImmediate } from 'node:timers/promises';
import { hostTime } from './clock.ts';
import { numberOf, textOf } from './database.ts';
import type { Session } from './session.ts';

/** As many rows as one transaction looks at: a millisecond or two, in which nobody else writes and the process does nothing else. */
const stretch = 2_000;

/** Removes at most `limit` rows that are idle and of a version below `older`, with their companions; how many it was. */
export async function sweep(session: Session, older: number, limit: number): Promise<number> {
  let removed = 0;
  let after = '';
  for (;;) {
    const start = after;
    const next = session.read(() => session.row('sweepStretch', { after: start, length: stretch - 1 })?.['key']);
    removed += sweepStretch(session, start, next === undefined ? null : textOf(next), older, limit - removed);
    if (next === undefined || removed >= limit) return removed;
    after = textOf(next);
    await setImmediate();
  }
}

function sweepStretch(session: Session, after: string, to: string | null, older: number, limit: number): number {
  const now = hostTime();
  const parameters = { after, to, older, now, limit };
  if (session.read(() => session.row('sweepable', parameters)) === undefined) return 0;
  return session.write(() => {
    const rows = session.rows('sweep', { ...parameters, now: hostTime() });
    const keys = JSON.stringify(rows.map(({ key }) => key));
    session.run('sweepShares', { keys });
    session.run('sweepLine', { keys });
    // What a row that comes back must exceed, however the clock of its process may go.
    for (const { version } of rows) session.run('raiseSwept', { version: numberOf(version) });
    return rows.length;
  });
}
