/** The numbers of workers and processes, which share the workers as evenly as possible. */
export interface Split {
  readonly workers: number;
  readonly processes: number;
}

/** The first worker of a process. Those of `processes` end before it. */
export function firstWorkerOf(process: number, { workers, processes }: Split): number {
  return Math.floor((workers * process) / processes);
}

/** The process of a worker. */
export function processOf(worker: number, split: Split): number {
  let process = split.processes - 1;
  while (firstWorkerOf(process, split) > worker) process -= 1;
  return process;
}
