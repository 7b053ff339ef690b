import { isOfOneProcess } from './backend.ts';
import type { Crew } from './crew.ts';
import { openProcesses } from './process-crew.ts';
import { openTasks } from './task-crew.ts';

/** The workers that can meet on the backend of `url`: only tasks of one process share its memory. Without a URL it is a file of the demo. */
export function openCrew(url: string | undefined, signal: AbortSignal): Promise<Crew> {
  return url !== undefined && isOfOneProcess(url) ? openTasks(url, signal) : openProcesses(url, signal);
}
