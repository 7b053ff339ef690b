import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureProgram } from '../local/install.ts';

/**
 * What gives a process a wall clock that is off by as much as `by` says, such as `+1h`. Clocks that
 * measure durations go on as they are.
 */
export async function wallClockOff(by: string): Promise<Readonly<Record<string, string>>> {
  await ensureProgram({ binary: 'faketime', debianPackage: 'faketime', macos: 'brew install libfaketime' }, 'faketime');
  return { LD_PRELOAD: library(), FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** Debian has it in a folder for each architecture. */
function library(): string {
  for (const folder of readdirSync('/usr/lib')) {
    const inner = join('/usr/lib', folder, 'faketime');
    try {
      if (readdirSync(inner).includes('libfaketime.so.1')) return join(inner, 'libfaketime.so.1');
    } catch {
      continue;
    }
  }
  throw new Error(
    'faketime is there, but not libfaketime.so.1 in /usr/lib/*/faketime: install the Debian package libfaketime',
  );
}
