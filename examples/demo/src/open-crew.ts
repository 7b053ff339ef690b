import type { Crew } from './crew.ts';
import { openProcesses } from './process-crew.ts';
import { openTasks } from './task-crew.ts';

/** The workers that can meet on the backend of `url`: only tasks of one process share its memory. */
export function openCrew(url: string, signal: AbortSignal): Promise<Crew> {
  return /^memory:/i.test(url) ? openTasks(url, signal) : openProcesses(url, signal);
}
