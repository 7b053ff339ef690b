import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process that has not ended. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly stopped: boolean;
}

/** All processes of this machine except zombies. */
export async function listProcesses(): Promise<readonly RunningProcess[]> {
  // Minimal Linux images have no ps.
  const lines = existsSync('/proc/self/stat') ? await readStates() : await askStates();
  return lines.flatMap((line) => {
    const [, pid, state, parent] = /^\s*(\d+)\s+(\w)\S*\s+(\d+)/.exec(line) ?? [];
    if (state === undefined || state === 'Z' || state === 'X') return [];
    return [{ pid: Number(pid), parent: Number(parent), stopped: state === 'T' || state === 't' }];
  });
}

async function readStates(): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')));
  // The second field is the program's name in parentheses, which may contain anything.
  return stats.map((stat) => stat.replace(/\(.*\)/s, ''));
}

async function askStates(): Promise<readonly string[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=', '-o', 'stat=', '-o', 'ppid=']);
  return stdout.split('\n');
}

/** `pid` and its running descendants. */
export function familyOf(pid: number, processes: readonly RunningProcess[]): readonly RunningProcess[] {
  const pids = new Set([pid]);
  for (let size = 0; size < pids.size;) {
    size = pids.size;
    for (const process of processes) if (pids.has(process.parent)) pids.add(process.pid);
  }
  return processes.filter((process) => pids.has(process.pid));
}

/**
 * Stops (SIGSTOP) a process and all its descendants; resolves to their ids when all are stopped.
 * Process groups are not enough: each child of a Postgres creates its own session.
 */
export async function freeze(pid: number): Promise<readonly number[]> {
  for (;;) {
    const family = familyOf(pid, await listProcesses());
    const running = family.filter(({ stopped }) => !stopped);
    if (running.length === 0) return family.map((process) => process.pid);
    for (const process of running) send(process.pid, 'SIGSTOP');
    // Until it has stopped, it may create another one.
    await delay(1);
  }
}

/** Ends `freeze`. */
export async function thaw(pid: number): Promise<void> {
  for (const process of familyOf(pid, await listProcesses())) send(process.pid, 'SIGCONT');
}

/** SIGKILL to a process and all its descendants; resolves when they are gone, or zombies. */
export async function killAll(pid: number): Promise<void> {
  // Stopped processes create no more processes, which would not be found.
  const family = new Set(await freeze(pid));
  for (const member of family) send(member, 'SIGKILL');
  while ((await listProcesses()).some((process) => family.has(process.pid))) await delay(5);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
