import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlEvent, RegisterEvent, RunLog, WorkerEvent } from './events.ts';

/** Reads the logs in `folder`. */
export function readRunLog(folder: string): RunLog {
  const workers = new Map<string, readonly WorkerEvent[]>();
  for (const file of readdirSync(folder).toSorted()) {
    const name = /^worker-(.+)\.log$/.exec(file)?.[1];
    if (name !== undefined) workers.set(name, readLines<WorkerEvent>(join(folder, file)));
  }
  return {
    workers,
    register: readLines<RegisterEvent>(join(folder, 'register.log')),
    control: readLines<ControlEvent>(join(folder, 'control.log')),
  };
}

function readLines<Event>(path: string): Event[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // What a killed process did not finish to write did not happen.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as Event);
}
