import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { eventually } from '../checks/time.ts';

const patience = 5_000;
/** The stopped children, each with the listener of its end. */
const paused = new Map<ChildProcess, () => void>();

/** Stops `child` with SIGSTOP and resolves when it is stopped. */
export async function pause(child: ChildProcess): Promise<void> {
  if (process.platform === 'win32') throw new Error('Windows cannot pause a process: it has no SIGSTOP');
  if (paused.size === 0) process.on('exit', killPaused);
  if (!paused.has(child)) {
    const ended = (): void => forget(child);
    paused.set(child, ended);
    child.once('exit', ended);
  }
  child.kill('SIGSTOP');
  if (process.platform === 'linux') {
    await eventually(
      patience,
      'a process to stand after SIGSTOP',
      () => stateOf(child),
      (state) => state === 'T',
    );
  }
}

/** Continues `child`. */
export function resume(child: ChildProcess): void {
  child.kill('SIGCONT');
  forget(child);
}

function forget(child: ChildProcess): void {
  const ended = paused.get(child);
  if (ended === undefined) return;
  child.off('exit', ended);
  paused.delete(child);
  if (paused.size === 0) process.off('exit', killPaused);
}

/** A paused process does not notice the end of its parent. */
function killPaused(): void {
  for (const child of paused.keys()) child.kill('SIGKILL');
}

/** The third field of the kernel's line about it; the second may hold anything, in parentheses. */
async function stateOf({ pid }: ChildProcess): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  return line.slice(line.lastIndexOf(')') + 2, line.lastIndexOf(')') + 3);
}
