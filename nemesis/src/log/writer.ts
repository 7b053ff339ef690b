import { openSync, writeSync } from 'node:fs';

/**
 * Appends events to a log, a line each, before it returns: a SIGKILL right after it takes nothing
 * away.
 */
export function openLog<Event>(path: string): (event: Event) => void {
  const file = openSync(path, 'a');
  return (event) => {
    writeSync(file, `${JSON.stringify(event)}\n`);
  };
}
