import type { HistoryEvent } from '@locks/conformance/history';
import type { RunLog } from './events.ts';

/** The logs of a run as one history. A fault of a slot hits the worker that it had then. */
export function historyOf({ workers, register, control }: RunLog): HistoryEvent[] {
  const events: HistoryEvent[] = [];
  const workerIn = (slot: number, at: number): string =>
    control.filter((line) => line.type === 'worker').findLast((line) => line.slot === slot && line.at <= at)?.worker ??
    `slot ${slot}`;
  for (const [process, lines] of workers) {
    for (const line of lines) if ('id' in line) events.push({ ...line, process });
  }
  for (const line of register) events.push({ ...line, process: 'register' });
  for (const line of control) {
    const { at, type } = line;
    if (type === 'fault') {
      const { from, kind, slot } = line;
      events.push({
        type,
        at,
        process: 'control',
        from,
        kind,
        ...(slot === undefined ? {} : { hit: workerIn(slot, from) }),
      });
    } else if (type === 'exit') events.push({ type: 'ended', at, process: line.worker, killed: line.how === 'killed' });
    else if (type === 'phase' && line.phase === 'recovery') events.push({ type: 'healed', at, process: 'control' });
  }
  return events;
}
