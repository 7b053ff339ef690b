import { checkHistory, excerptOf, timelineOf } from '@locks/conformance/history';
import type { Explains } from '@locks/conformance/history';
import type { RunLog } from '../log/events.ts';
import { historyOf } from '../log/history-of.ts';
import { type Figures, readFigures } from './figures.ts';
import { checkResources } from './resources.ts';

/** What a run came to. */
export interface Verdict {
  /** What the logs break of the promises of the library, in words. */
  readonly violations: readonly string[];
  readonly figures: Figures;
  /** The lines of the logs that show each violation that a history shows. */
  readonly excerpts: readonly string[];
  /** A page that shows the run. */
  readonly timeline: () => string;
}

/** Judges the logs of a run. `sharersMayTie`: two sharers may have the same token. */
export function check(log: RunLog, sharersMayTie = false): Verdict {
  const events = historyOf(log);
  const slots = new Map(
    log.control.flatMap((event) => (event.type === 'worker' ? [[event.worker, event.slot] as const] : [])),
  );
  // A pause of one worker may hold up the others where they share a file; a kill does not.
  const explains: Explains = ({ kind, hit }, process) =>
    kind !== 'kill' && (hit === undefined || slots.get(hit) === slots.get(process) || kind === 'pause');
  const shown = checkHistory(events, { sharersMayTie, emptying: ['server-empty'], explains });
  return {
    violations: [...shown.map(({ message }) => message), ...checkErrors(log), ...checkResources(log)],
    figures: readFigures(log, events),
    excerpts: shown.map((violation) => excerptOf(events, violation)),
    timeline: () => timelineOf(events, shown),
  };
}

/** Errors that no caller caught, and what the controller saw. */
function* checkErrors({ workers, control }: RunLog): Iterable<string> {
  for (const [worker, events] of workers) {
    for (const event of events) if (event.type === 'crash') yield `${worker} has an error: ${event.message}`;
  }
  for (const event of control) if (event.type === 'wrong') yield event.message;
}
