import { existsSync, readFileSync } from 'node:fs';

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
