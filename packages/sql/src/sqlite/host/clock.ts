import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The µs since the host's boot, or another moment common to all its processes. Unaffected by
 * changes of the wall clock.
 */
export function hostTime(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

let known: { readonly id: string | undefined } | undefined;

/**
 * The name of this boot of the host. `undefined`: the platform has none, or this process may not
 * read it, as with Node's `--permission` or in a container that hides it.
 */
export function bootId(): string | undefined {
  known ??= { id: readBootId() };
  return known.id;
}

function readBootId(): string | undefined {
  try {
    if (process.platform === 'linux')
      return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined;
    if (process.platform === 'darwin') {
      return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim() || undefined;
    }
  } catch {
    // It is hidden.
  }
  return undefined;
}
