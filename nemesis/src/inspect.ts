import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Target } from './worker/messages.ts';

/**
 * Opens the locks of `target` without faults, in the application in `folder`. Gives what is held or
 * waited for after `limit` ms.
 */
export async function inspect(folder: string, target: Target, limit: number): Promise<readonly string[]> {
  const args = [join(folder, 'programs/worker/inspect-process.js'), JSON.stringify(target), `${limit}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: limit + 60_000 });
  return JSON.parse(stdout) as string[];
}
