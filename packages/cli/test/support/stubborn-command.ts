import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@locks/test-servers';

/** A command of two processes that go on after TERM. */
export interface StubbornCommand {
  readonly words: readonly string[];
  /** Resolves when both run. */
  pids(): Promise<readonly number[]>;
  /** Whether TERM has come. */
  heardTerm(): boolean;
}

/** It leaves its notes in `folder`. */
export function stubbornCommand(folder: string): StubbornCommand {
  const file = (name: string): string => join(folder, name);
  const loop = 'while :; do sleep 0.05; done';
  const inner = `trap "" TERM; echo $$ >> ${file('pids')}; ${loop}`;
  const outer = `trap "echo term >> ${file('term')}" TERM; echo $$ >> ${file('pids')}; sh -c '${inner}' & ${loop}`;
  return {
    words: ['sh', '-c', outer],
    pids: async () =>
      await eventually('both processes', () => {
        const lines = existsSync(file('pids')) ? readFileSync(file('pids'), 'utf8').trim().split('\n') : [];
        return lines.length === 2 && lines.map(Number);
      }),
    heardTerm: () => existsSync(file('term')),
  };
}

/** Whether the process has ended. One that only waits to be noticed by its parent has. */
export function isGone(pid: number): boolean {
  if (existsSync('/proc/self/stat')) {
    try {
      return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return true;
    }
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
